"""Streams and events, under the module name that programs import."""

from quadrants._stream import Event, Stream
