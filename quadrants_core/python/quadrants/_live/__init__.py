"""What is known of a program while it runs, by listing: a cell of a notebook, or a file. The notebook and the inspector show the same."""
