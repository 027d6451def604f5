"""qd.interop."""

from quadrants._later import Later as _Later

get_mps_command_queue = _Later("qd.interop.get_mps_command_queue", parameters="")
