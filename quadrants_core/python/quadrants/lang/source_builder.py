"""SourceBuilder under the name that programs import it by."""

from quadrants._language.external import SourceBuilder
