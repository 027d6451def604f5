"""qd.Struct and the fields of structs, under the module name that programs import."""

from quadrants._storage.struct import Struct, StructField
