"""What callers may say, and what an operation is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from typing import Any, TypedDict

from .errors import NetworkError


@dataclass(frozen=True)
class Service:
    """Where a service is, and who asks."""

    #: As `npm start` prints it; a path before `/v1` is kept.
    url: str
    #: A product API key, or an identity token. A function is called for every attempt, so that a token may be renewed.
    key: str | Callable[[], str] | None = field(default=None, repr=False)


class CallOptions(TypedDict, total=False):
    """How one call is made."""

    #: Seconds, of one attempt.
    timeout: float
    #: How often a call is repeated at most.
    retries: int
    headers: Mapping[str, str]
    #: Of a creating call. Made for you otherwise; give your own to recognise a repeat after a restart.
    idempotency_key: str
    #: Parameters that the method does not name: `{"metadata.plan": "gold"}`.
    query: Mapping[str, Any]


@dataclass(frozen=True)
class Operation:
    """One of a service, as its document has it."""

    method: str
    #: From the address of the service: `/v1/flows/{flow_id}`.
    path: str
    #: It creates: repeats are recognised by their Idempotency-Key.
    creates: bool = False
    #: It lists, and its answers are pages: the member that holds the items.
    pages: str | None = None
    #: It answers with server-sent events.
    stream: bool = False


@dataclass(frozen=True)
class Response:
    """The answer as it came."""

    status: int
    #: Names in any case.
    headers: Message
    content: bytes

    def data(self, enveloped: bool = False) -> Any:
        """The voice API puts what it answers into an envelope (docs/voice-api.md#envelope)."""
        if not self.content:
            return None
        text = self.content.decode(errors="replace")
        if "json" not in (self.headers.get("content-type") or ""):
            return text
        try:
            body = json.loads(text)
            return body["data"] if enveloped else body
        except (ValueError, TypeError, KeyError) as cause:
            raise NetworkError("The answer is not the JSON that it says it is.") from cause
