from collections.abc import Iterator
from typing import Any, Self

from quadrants.tools import diagnose as diagnose, np2ply as np2ply, vtk as vtk

def write_vtk(scalar_field: Any, filename: str) -> None: ...
