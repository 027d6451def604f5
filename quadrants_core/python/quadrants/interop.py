"""qd.interop: interoperability with other libraries."""


def get_mps_command_queue():
    """Returns the command queue of torch on Metal, for `qd.init(external_metal_command_queue=...)`.

    Returns:
        The pointer as an integer; 0 if there is none, as in this build, which does not support Metal.

    Example:
        >>> qd.interop.get_mps_command_queue()
        0
    """
    return 0
