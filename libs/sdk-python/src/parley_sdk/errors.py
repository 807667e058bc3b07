"""Everything that a call may fail with, one tree: the three services refuse in three dialects (docs/platform.md#wire-conventions), and who
catches should not have to know them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from email.message import Message
from typing import Any


class ParleyError(Exception):
    """Whatever this package raises."""


class NetworkError(ParleyError):
    """No whole answer came: the network, a proxy, a service that is away. Whether the call had an effect is unknown."""


class NetworkTimeoutError(NetworkError):
    """No whole answer came in time."""


class SignatureError(ParleyError):
    """A received webhook that is not from Parley, or too old."""


@dataclass(frozen=True)
class FieldProblem:
    """What is wrong with one member of a request."""

    #: A JSON pointer: into the body (`/definition/nodes/0`), or `/query/limit`, `/path/flow_id`, `/header/If-Match`.
    path: str
    message: str
    code: str | None = None
    #: `query`, `path` or `header`, which is `in` on the wire; None: the body, which may have a member `query` of its own.
    place: str | None = None


class ApiError(ParleyError):
    """A service refused."""

    def __init__(self, status: int, headers: Message, body: Any) -> None:
        code, message, fields = _refusal_in(status, body)
        super().__init__(message)
        self.status = status
        #: In lower case, whatever the service: `not_found`. Notifications sends none, so there it follows from the status.
        self.code = code
        #: Finds the request in the log of the service.
        self.request_id: str | None = headers.get("x-request-id")
        self.fields = fields
        #: The whole answer: some refusals say more, such as `validation` or `cost`.
        self.body = body
        self.headers = headers


class InvalidRequestError(ApiError):
    """400: malformed; `fields` says where."""


class AuthenticationError(ApiError):
    """401"""


class PermissionDeniedError(ApiError):
    """403"""


class NotFoundError(ApiError):
    """404"""


class ConflictError(ApiError):
    """409 and 412: something else is there, or newer."""


class UnprocessableError(ApiError):
    """422: well-formed, and refused for what it means."""


class RateLimitError(ApiError):
    """429, after all retries."""


class ServiceError(ApiError):
    """5xx, after all retries."""


_CLASSES: dict[int, type[ApiError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    412: ConflictError,
    422: UnprocessableError,
    429: RateLimitError,
}


def api_error_of(status: int, headers: Message, content: bytes) -> ApiError:
    """`content` is the body of the answer, which may be none of Parley's: a proxy's page."""
    text = content.decode(errors="replace")
    try:
        body: Any = json.loads(text)
    except ValueError:
        body = text  # shown as it is
    kind = _CLASSES.get(status, ServiceError if status >= 500 else ApiError)
    return kind(status, headers, body)


#: The codes of a service that sends none.
_CODES = {
    400: "invalid_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    409: "conflict",
    413: "payload_too_large",
    422: "unprocessable",
    429: "rate_limited",
    500: "internal",
    503: "unavailable",
}


def _refusal_in(status: int, body: Any) -> tuple[str, str, list[FieldProblem]]:
    told = body if isinstance(body, dict) else {}
    plain = _CODES.get(status, f"http_{status}")
    error = told.get("error")
    if isinstance(error, dict):
        details = error.get("details")
        fields = details.get("fields") if isinstance(details, dict) else None
        return str(error.get("code") or plain).lower(), str(error.get("message") or plain), _problems(fields)
    if isinstance(error, str):
        return str(told.get("code") or plain), error, _fields_in(error) if status == 400 else []
    message = told.get("detail") or f"The service answered {status}."
    return str(told.get("code") or plain), str(message), _problems(told.get("errors"))


def _problems(fields: Any) -> list[FieldProblem]:
    found = [one for one in fields if isinstance(one, dict)] if isinstance(fields, list) else []
    return [
        FieldProblem(str(one.get("path", "")), str(one.get("message", "")), one.get("code"), one.get("in"))
        for one in found
    ]


def _fields_in(text: str) -> list[FieldProblem]:
    """`/target/email: must be …; /query/limit: must be …`. A semicolon may also stand in what is said of a place. No body of
    notifications has a member that is named like a place of parameters (a test of libs/sdk looks)."""
    fields: list[FieldProblem] = []
    for part in text.split("; "):
        found = re.fullmatch(r"(body|(?:/(query|path|header)(?=/))?/\S*): (.*)", part, re.DOTALL)
        if found:
            fields.append(FieldProblem("" if found[1] == "body" else found[1], found[3], place=found[2]))
        elif fields:
            fields[-1] = replace(fields[-1], message=f"{fields[-1].message}; {part}")
    return fields
