"""Annotations of parameters."""

from quadrants._annotations import Template, template
from quadrants._kernel import ref
