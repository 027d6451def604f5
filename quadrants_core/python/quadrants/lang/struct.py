"""qd.Struct and the fields of structs under the name that programs import them by."""

from quadrants._storage.struct import Struct, StructField
