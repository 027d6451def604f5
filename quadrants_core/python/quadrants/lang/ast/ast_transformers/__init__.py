"""What programs look up of how kernels are read."""
