"""SourceBuilder, under the module name that programs import."""

from quadrants._language.external import SourceBuilder
