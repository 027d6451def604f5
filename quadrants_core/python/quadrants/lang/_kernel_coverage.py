"""Kernel coverage under the module name that programs import: the same module object, so that assignments take effect."""

import sys

from quadrants._coverage import files as _coverage_files

sys.modules[__name__] = _coverage_files
