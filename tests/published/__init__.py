"""Published programs, unchanged: the examples that come with Taichi, which `make bench-peers` installs, run on Quadrants with
windows that show nothing. `python -m tests.published` runs them all and says which of them the reference runs too."""
