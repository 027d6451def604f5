"""Inspection of the cache on disk: why a kernel was or was not found, and archives for transfer."""
