"""The strict base model of everything read from files, plans and requests."""

from pydantic import BaseModel, ConfigDict


class Description(BaseModel):
    """A frozen model that rejects unknown keys and converts no types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
