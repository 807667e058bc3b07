"""Whether a received webhook is from Parley (docs/voice-api.md#signatures): Standard Webhooks, which also stops replays, or one of the two
signatures that the voice API makes beside it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from .errors import SignatureError

TOLERANCE_SECONDS = 300.0
#: Two while a secret is rotated.
_SIGNATURES_MAX = 8
_SIGNATURE_MEMBER = re.compile(rb',"signature":"sha256=([0-9a-f]{64})"\}\Z')


def verify(
    body: bytes | str,
    headers: Mapping[str, str],
    secrets: str | Sequence[str],
    *,
    scheme: Literal["standard", "header", "body"] = "standard",
    tolerance_seconds: float = TOLERANCE_SECONDS,
) -> Any:
    """The event in a received request. `body` is the request's body as it came, not parsed; `secrets` the webhook's secret, or several while
    one takes the place of another.

    `scheme` is which signature counts. `standard`: the header `webhook-signature`, the only one that knows the time. The other two are for
    receivers that get only some of the headers: `header` is `X-Signature-256`, `body` the member `signature`. Raises SignatureError.
    """
    content = body.encode() if isinstance(body, str) else bytes(body)
    signed, signatures = _claim_of(content, headers, scheme, tolerance_seconds)
    for secret in [secrets] if isinstance(secrets, str) else secrets:
        wanted = hmac.new(_key_bytes(secret, scheme), signed, hashlib.sha256).digest()
        if any([hmac.compare_digest(wanted, signature) for signature in signatures]):
            return json.loads(content)
    raise SignatureError("No signature fits: another secret, or a body that was changed on the way.")


def _claim_of(
    content: bytes, headers: Mapping[str, str], scheme: str, tolerance_seconds: float
) -> tuple[bytes, list[bytes]]:
    """What the request says was signed, and how."""
    if scheme == "body":
        cut = _SIGNATURE_MEMBER.search(content)
        if not cut:
            raise SignatureError("The last member of the body is no signature.")
        return content[: cut.start()] + b"}", [bytes.fromhex(cut[1].decode())]
    if scheme == "header":
        found = re.fullmatch(r"sha256=([0-9a-f]{64})", _header_of(headers, "x-signature-256"))
        if not found:
            raise SignatureError("X-Signature-256 is no signature.")
        return content, [bytes.fromhex(found[1])]
    if scheme != "standard":
        raise ValueError(f"{scheme} is no scheme")
    seconds = _header_of(headers, "webhook-timestamp")
    if not re.fullmatch(r"[0-9]{1,12}", seconds) or abs(time.time() - int(seconds)) > tolerance_seconds:
        raise SignatureError("webhook-timestamp is too far from now: a replay, or a clock that is wrong.")
    given = _header_of(headers, "webhook-signature").split(" ")[:_SIGNATURES_MAX]
    signatures = [base64.b64decode(one[3:]) for one in given if re.fullmatch(r"v1,[A-Za-z0-9+/]{43}=", one)]
    return f"{_header_of(headers, 'webhook-id')}.{seconds}.".encode() + content, signatures


def _header_of(headers: Mapping[str, str], name: str) -> str:
    for other, value in headers.items():
        if other.lower() == name and isinstance(value, str):
            return value
    raise SignatureError(f"The header {name} is missing.")


def _key_bytes(secret: str, scheme: str) -> bytes:
    """Behind `whsec_` stands the key of Standard Webhooks, where it has 24 to 64 bytes; else the text is the key."""
    encoded = re.fullmatch(r"whsec_([A-Za-z0-9+/]+)={0,2}", secret) if scheme == "standard" else None
    if encoded:
        text = encoded[1]
        try:
            key = base64.b64decode(text + "=" * (-len(text) % 4))
        except binascii.Error:
            key = b""
        if 24 <= len(key) <= 64:
            return key
    return secret.encode()
