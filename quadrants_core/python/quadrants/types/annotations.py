"""Annotations of parameters."""

from quadrants._language.annotations import Template, template
from quadrants._language.func import ref
