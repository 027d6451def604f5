"""Names that programs use to inspect how kernels are parsed."""
