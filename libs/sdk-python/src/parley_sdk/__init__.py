"""The three services of Parley from Python. See README.md."""

from . import webhooks
from ._conversation import Conversation
from ._methods import Pages
from ._options import CallOptions, Response, Service
from ._parley import Parley
from ._stream import EventStream, StreamEvent
from .errors import (
    ApiError,
    AuthenticationError,
    ConflictError,
    FieldProblem,
    InvalidRequestError,
    NetworkError,
    NetworkTimeoutError,
    NotFoundError,
    ParleyError,
    PermissionDeniedError,
    RateLimitError,
    ServiceError,
    SignatureError,
    UnprocessableError,
)

__all__ = [
    "ApiError",
    "AuthenticationError",
    "CallOptions",
    "ConflictError",
    "Conversation",
    "EventStream",
    "FieldProblem",
    "InvalidRequestError",
    "NetworkError",
    "NetworkTimeoutError",
    "NotFoundError",
    "Pages",
    "Parley",
    "ParleyError",
    "PermissionDeniedError",
    "RateLimitError",
    "Response",
    "Service",
    "ServiceError",
    "SignatureError",
    "StreamEvent",
    "UnprocessableError",
    "webhooks",
]
