from typing import Any

from quadrants.tools import diagnose as diagnose, np2ply as np2ply, vtk as vtk

def write_vtk(scalar_field: Any, filename: str) -> None: ...
