"""The one model configuration that messages, parts and records share."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer
from pydantic.alias_generators import to_camel


class FrozenModel(BaseModel):
    """Frozen; camelCase in JSON and snake_case in Python; unknown fields kept; only what was set is written."""

    model_config = ConfigDict(
        frozen=True,
        extra="allow",
        alias_generator=to_camel,
        populate_by_name=True,
        serialize_by_alias=True,
    )

    @model_serializer(mode="wrap")
    def _write_what_was_set(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = handler(self)
        fields = type(self).model_fields
        absent = set(fields) - self.model_fields_set
        # A type tag is written even when the constructor left it to its default: without it a part is unreadable.
        names = {name for name in absent if name != "type"}
        names |= {str(fields[name].alias) for name in names}
        return {name: value for name, value in written.items() if name not in names}
