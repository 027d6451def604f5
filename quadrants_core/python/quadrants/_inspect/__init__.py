"""qd.inspect(): a window of its own process that shows what a program does while it runs."""
