"""Meshes, under the module name that programs import."""

from quadrants._storage.mesh import Mesh, MeshBuilder, MeshElementField, MeshInstance, MeshMetadata, _TetMesh, _TriMesh
