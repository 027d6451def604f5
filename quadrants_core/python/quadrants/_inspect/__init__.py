"""qd.inspect(): a window in a separate process that shows a running program."""
