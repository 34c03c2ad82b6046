"""What every refusal is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar


class KinpostError(Exception):
    """A call was refused, or found no server.

    `code` is stable, act on it; `text` is for people and models and begins with the code. `retryable`: repeating the
    same call unchanged is safe, and may help. `transient`: it is the server's passing trouble, and the client has
    repeated the call already, as long as its `Retry` lets it; a full inbox is not, since others must read first.
    `retry_after_seconds` is the server's advice, where it gave one. `metadata` is the server's, code included.
    """

    CODE: ClassVar[str] = ""
    RETRYABLE: ClassVar[bool] = False
    TRANSIENT: ClassVar[bool] = False

    def __init__(
        self,
        text: str = "",
        *,
        code: str = "",
        transient: bool | None = None,
        retry_after_seconds: float | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        self.code = code or self.CODE
        self.text = text or f"{self.code}: {(type(self).__doc__ or '').strip().splitlines()[0]}"
        self.transient = self.TRANSIENT if transient is None else transient
        self.retryable = self.RETRYABLE or self.transient
        self.retry_after_seconds = retry_after_seconds
        self.metadata = dict(metadata or {})
        super().__init__(self.text)
