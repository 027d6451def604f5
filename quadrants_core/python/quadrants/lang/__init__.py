"""Names that programs written for the reference reach into; nothing of this package imports from here."""

from quadrants._arch import amdgpu, cpu, cuda, gpu, metal, vulkan
