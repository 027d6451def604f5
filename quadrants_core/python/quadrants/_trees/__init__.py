"""Trees of SNodes, in which fields are placed."""
