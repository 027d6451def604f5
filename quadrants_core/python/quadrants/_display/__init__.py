"""What notebooks show of values."""
