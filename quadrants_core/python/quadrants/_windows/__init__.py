"""Windows of scripts, drawn by a separate process."""
