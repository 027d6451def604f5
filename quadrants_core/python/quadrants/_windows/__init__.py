"""Windows of scripts, drawn by a process beside them."""
