"""Streams and events under the name that programs import them by."""

from quadrants._stream import Event, Stream
