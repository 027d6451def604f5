"""What is kept on disk, for people: why a kernel was or was not found there, and files to carry elsewhere."""
