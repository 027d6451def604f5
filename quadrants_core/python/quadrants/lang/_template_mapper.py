"""The mapping from the arguments of a call to a specialisation, which each kernel maintains for itself."""

from quadrants.lang._absent import absent as _absent
from quadrants.lang._primal import _Mapper as TemplateMapper

__getattr__ = _absent("quadrants.lang._template_mapper", {"": "look at k._primal.mapper.mapping"})
