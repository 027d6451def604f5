"""Sorting, scans and reductions."""
