"""The state of a running program by listing, which is a notebook cell or a file. Notebooks and the inspector share it."""
