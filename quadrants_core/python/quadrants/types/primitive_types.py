"""Scalar types."""

from quadrants._dtypes import f16, f32, f64, i8, i16, i32, i64, u1, u8, u16, u32, u64

float16, float32, float64 = f16, f32, f64
int8, int16, int32, int64 = i8, i16, i32, i64
uint1, uint8, uint16, uint32, uint64 = u1, u8, u16, u32, u64

# Python's bool, int and float stand for u1 and the default types of the program.
real_types = [f16, f32, f64, float]
integer_types = [bool, i8, i16, i32, i64, u1, u8, u16, u32, u64, int]
all_types = [f16, f32, f64, *integer_types, float]
type_ids = [id(t) for t in all_types]
