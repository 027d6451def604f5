"""Meshes under the name that programs import them by."""

from quadrants._storage.mesh import Mesh, MeshBuilder, MeshElementField, MeshInstance, MeshMetadata, _TetMesh, _TriMesh
