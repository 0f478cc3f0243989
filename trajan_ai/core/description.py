"""The strict base model for everything that is read from files, plans and requests."""

from pydantic import BaseModel, ConfigDict


class Description(BaseModel):
    """A frozen model that rejects unknown keys and does not convert types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
