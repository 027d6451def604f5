# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""Annotations of parameters."""
import enum
from collections.abc import Iterator
from typing import Any, Self
from quadrants import Template as Template
from quadrants import ref as ref
from quadrants import template as template
