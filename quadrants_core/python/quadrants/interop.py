"""qd.interop."""


def get_mps_command_queue():
    """The command queue of torch on Metal, for `qd.init(external_metal_command_queue=...)`.

    Returns:
        A pointer, as an integer; 0 where there is none, as in this build, which has no Metal.

    Example:
        >>> qd.interop.get_mps_command_queue()
        0
    """
    return 0
