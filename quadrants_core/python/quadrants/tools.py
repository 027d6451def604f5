"""qd.tools."""

from quadrants._later import define as _define

_define(globals(), "qd.tools", "PLYWriter write_vtk")
