"""One request, repeated where that may help (docs/sdk.md#repeats)."""

from __future__ import annotations

import json
import random
import re
import secrets
import socket
import ssl
import time
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from ._options import CallOptions, Operation, Response, Service
from .errors import ApiError, NetworkError, NetworkTimeoutError, api_error_of

RETRIES = 3
TIMEOUT_S = 30.0
FIRST_PAUSE_S = 0.5
PAUSE_S_MAX = 8.0
#: Who is asked to wait for longer is told instead (`error.headers`).
RETRY_AFTER_S_MAX = 60.0
#: No answer of ours is near it.
ANSWER_BYTES_MAX = 256 * 1024 * 1024


class Opened:
    """A stream that was opened: pieces as they come."""

    def __init__(self, answer: HTTPResponse, connection: socket.socket, silence_s: float) -> None:
        self._answer = answer
        self._connection = connection
        self._connection.settimeout(silence_s)

    def __iter__(self) -> Any:
        try:
            while not self._answer.isclosed():
                piece = self._answer.read1(65_536)
                if not piece:
                    return
                yield piece
        except TimeoutError as cause:
            raise NetworkError("The stream fell silent.") from cause
        except (OSError, HTTPException, ValueError) as cause:
            raise NetworkError("The stream was cut.") from cause
        finally:
            self._answer.close()
            self._connection.close()

    def close(self) -> None:
        """Also from another thread: whoever reads it comes to an end."""
        try:
            self._connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # it has ended by itself


class Sender:
    """Sends to one service."""

    def __init__(self, service: Service, defaults: CallOptions) -> None:
        address = urlsplit(service.url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ValueError(f"{service.url} is no address of a service")
        self._secure = address.scheme == "https"
        self._host, self._port = address.hostname, address.port
        self._prefix = re.sub(r"/v1$", "", address.path.rstrip("/"))
        self._tls = ssl.create_default_context() if self._secure else None
        self._key = service.key
        self._defaults = defaults

    def send(
        self, operation: Operation, values: Mapping[str, Any], body: Any, given: CallOptions
    ) -> Response:
        """The answer is whole. Raises ParleyError."""
        return self._repeat(operation, values, body, given, None)

    def open(
        self, operation: Operation, values: Mapping[str, Any], given: CallOptions, silence_s: float
    ) -> Opened:
        """The answer has begun. Raises ParleyError."""
        return self._repeat(operation, values, None, given, silence_s)

    def _repeat(self, operation: Operation, values: Any, body: Any, given: CallOptions, silence_s: Any) -> Any:
        options: CallOptions = {**self._defaults, **given}
        path = self._prefix + path_of(operation, {**values, **options.get("query", {})})
        content = None if body is None else json.dumps(body, default=_text_of, allow_nan=False).encode()
        headers = {"user-agent": "parley-sdk-python", **self._defaults.get("headers", {}), **given.get("headers", {})}
        if content is not None:
            headers["content-type"] = "application/json"
        # One key for all attempts: an answer that was lost on the way is given again (docs/platform.md#idempotency).
        if operation.creates:
            headers["idempotency-key"] = options.get("idempotency_key") or secrets.token_hex(16)
        attempt = 0
        while True:
            key = self._key() if callable(self._key) else self._key
            if key is not None:
                headers["authorization"] = f"Bearer {key}"
            try:
                return self._attempt(operation, path, headers, content, options.get("timeout", TIMEOUT_S), silence_s)
            except (ApiError, NetworkError) as error:
                pause = pause_before(error, attempt, operation.creates) if attempt < options.get("retries", RETRIES) else None
                if pause is None:
                    raise
            time.sleep(pause)
            attempt += 1

    def _attempt(
        self, operation: Operation, path: str, headers: Mapping[str, str], content: bytes | None, timeout: float, silence_s: Any
    ) -> Any:
        deadline = time.monotonic() + timeout
        what = f"{operation.method} {path.partition('?')[0]}"
        if self._tls:
            connection: HTTPConnection = HTTPSConnection(self._host, self._port, timeout=timeout, context=self._tls)
        else:
            connection = HTTPConnection(self._host, self._port, timeout=timeout)
        answer, opened = None, None
        try:
            connection.request(operation.method, path, body=content, headers=dict(headers))
            wire = connection.sock
            wire.settimeout(_left(deadline))
            answer = connection.getresponse()
            if silence_s is not None and answer.status < 300:
                opened = Opened(answer, wire, silence_s)
                return opened
            received = _read(answer, wire, deadline)
        except TimeoutError as cause:
            raise NetworkTimeoutError(f"{what}: no answer within {timeout} s") from cause
        except (OSError, HTTPException) as cause:
            raise NetworkError(f"{what}: no answer") from cause
        finally:
            if opened is None:  # else both are the stream's to close
                if answer is not None:
                    answer.close()
                connection.close()
        if not 200 <= answer.status < 300 and answer.status != 304:
            raise api_error_of(answer.status, answer.headers, received)
        return Response(answer.status, answer.headers, received)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _read(answer: HTTPResponse, wire: socket.socket, deadline: float) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while not answer.isclosed():
        wire.settimeout(_left(deadline))
        piece = answer.read1(65_536)
        if not piece:
            break
        size += len(piece)
        if size > ANSWER_BYTES_MAX:
            raise NetworkError(f"The answer has more than {ANSWER_BYTES_MAX} bytes.")
        pieces.append(piece)
    if answer.length:  # http.client tells of a cut only who reads all at once
        raise IncompleteRead(b"", answer.length)
    return b"".join(pieces)


def path_of(operation: Operation, values: Mapping[str, Any]) -> str:
    """What the path names goes into it, everything else into the query."""
    rest = {name: _text_of(value) for name, value in values.items() if value is not None}

    def part(found: re.Match[str]) -> str:
        value = rest.pop(found[1], "")
        # An empty part would be another path, and dots lead out of this one.
        if not value.strip("."):
            raise ValueError(f"{found[1]} must be a text that can stand in a path")
        return quote(value, safe="")

    path = re.sub(r"\{(\w+)\}", part, operation.path)
    return f"{path}?{urlencode(rest)}" if rest else path


def _text_of(value: Any) -> str:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError(f"{value} has no time zone")
        return value.isoformat()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(_text_of(one) for one in value)
    if isinstance(value, (str, int, float)):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be sent")


def pause_before(error: Exception, attempt: int, creates: bool) -> float | None:
    """How many seconds to wait before the next attempt; None where there should be none."""
    ceiling = min(PAUSE_S_MAX, FIRST_PAUSE_S * 2 ** min(attempt, 10))
    # Up to half of it less: what failed together comes back apart.
    pause = ceiling * (1 - random.random() / 2)
    if isinstance(error, NetworkError):
        return pause
    if not isinstance(error, ApiError):
        return None
    asked = _retry_after(error.headers.get("retry-after"))
    # 409 with Retry-After: the attempt before, whose answer was lost, is still at work under the same key.
    helps = error.status in (408, 425, 429) or error.status >= 500 or (creates and error.status == 409 and asked is not None)
    if not helps or (asked or 0) > RETRY_AFTER_S_MAX:
        return None
    return max(pause, asked or 0)


def _retry_after(text: str | None) -> float | None:
    """Seconds, or a date."""
    if text is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None
