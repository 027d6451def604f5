"""Meshes under the name that programs import them by."""

from quadrants._mesh import Mesh, MeshBuilder, MeshElementField, MeshInstance, MeshMetadata, _TetMesh, _TriMesh
