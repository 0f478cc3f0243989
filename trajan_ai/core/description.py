"""The strict model that everything read from files, plans and requests is made of."""

from pydantic import BaseModel, ConfigDict


class Description(BaseModel):
    """A frozen description that knows every one of its keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
