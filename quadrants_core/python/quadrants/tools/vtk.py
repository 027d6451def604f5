"""Export of fields to VTK files, for ParaView and similar programs."""


def write_vtk(scalar_field, filename):
    """Writes a VTK file with the values at the points of a rectilinear grid, whose coordinates are the indices.

    Args:
        scalar_field: a field of scalars with 2 or 3 indices, or an array of such a shape.
        filename: the path without the extension .vtr.

    Returns:
        The path of the file.

    Raises:
        ValueError: the number of indices is not 2 or 3.

    Example:
        >>> import os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> qd.tools.write_vtk(qd.field(qd.f32, shape=(2, 2)), os.path.join(folder, "grid"))[-8:]
        'grid.vtr'
    """
    import numpy as np

    values = scalar_field.to_numpy() if hasattr(scalar_field, "to_numpy") else np.asarray(scalar_field)
    if values.ndim not in (2, 3):
        raise ValueError(f"write_vtk takes scalar fields with 2 or 3 indices, this one has {values.ndim}")
    if values.dtype.kind not in "iuf":
        values = values.astype(np.float64)
    if values.dtype == np.float16:
        values = values.astype(np.float32)
    shape = values.shape + (1,) * (3 - values.ndim)
    extent = " ".join(f"0 {n - 1}" for n in shape)
    axes = [("xyz"[i], np.arange(n, dtype=np.float64)) for i, n in enumerate(shape)]
    points = (_name(filename), values.reshape(shape).ravel(order="F"))  # x varies fastest
    arrays, offset = [], 0
    for name, data in [*axes, points]:
        arrays.append(_array(name, data, offset))
        offset += 8 + data.nbytes
    path = f"{filename}.vtr"
    with open(path, "wb") as file:
        file.write(
            f"""<?xml version="1.0"?>
<VTKFile type="RectilinearGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">
<RectilinearGrid WholeExtent="{extent}">
<Piece Extent="{extent}">
<Coordinates>
{arrays[0]}
{arrays[1]}
{arrays[2]}
</Coordinates>
<PointData Scalars="{points[0]}">
{arrays[3]}
</PointData>
</Piece>
</RectilinearGrid>
<AppendedData encoding="raw">
_""".encode()
        )
        for _, data in [*axes, points]:
            file.write(data.nbytes.to_bytes(8, "little") + data.astype(data.dtype.newbyteorder("<")).tobytes())
        file.write(b"\n</AppendedData>\n</VTKFile>\n")
    return path


def _name(filename):
    import os
    from xml.sax.saxutils import escape

    return escape(os.path.basename(str(filename)), {'"': "&quot;"})


def _array(name, data, offset):
    kind = {"i": "Int", "u": "UInt", "f": "Float"}[data.dtype.kind] + str(8 * data.dtype.itemsize)
    return f'<DataArray type="{kind}" Name="{name}" NumberOfComponents="1" format="appended" offset="{offset}"/>'
