"""Server-sent events (HTML standard §9.2) that go on where they were cut (docs/sdk.md#streams)."""

from __future__ import annotations

import codecs
import json
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ._options import Operation
from ._send import Opened, pause_before
from .errors import ApiError, NetworkError

#: The services give a sign of life every 15 s, a minute at most.
SILENCE_S_MAX = 90.0
#: No event of ours is half as large.
FRAME_CHARS_MAX = 2**21


@dataclass(frozen=True)
class StreamEvent:
    """One event."""

    event: str
    data: Any
    #: Where the stream was after it: what `Last-Event-ID` takes. Empty before the service named a place.
    id: str


@dataclass
class Place:
    id: str = ""
    retry_s: float = 1.0


class EventStream:
    """Opened when it is looped over. Ends with `break`, or with `close()`, which any thread may call."""

    def __init__(self, operation: Operation, opens: Callable[[str], Opened]) -> None:
        self._operation = operation
        self._opens = opens
        self._ended = threading.Event()
        self._opened: Opened | None = None

    def close(self) -> None:
        self._ended.set()
        if self._opened is not None:
            self._opened.close()

    def __iter__(self) -> Iterator[StreamEvent]:
        place = Place()
        failures = 0
        while not self._ended.is_set():
            try:
                self._opened = self._opens(place.id)
                failures = 0
                if self._ended.is_set():
                    self._opened.close()
                yield from events_in(self._opened, place)
                if place.id == "":
                    return  # nowhere to go on from: it was all there is
            except (ApiError, NetworkError) as error:
                if self._ended.is_set():
                    return
                # Refused for good, or cut before there was a place to go on from: nobody can tell what was missed.
                if place.id == "" or pause_before(error, failures, self._operation.creates) is None:
                    raise
            pause = pause_before(NetworkError(), failures, False) or 0
            self._ended.wait(max(place.retry_s if failures == 0 else 0, pause))
            failures += 1


def events_in(pieces: Iterable[bytes], place: Place) -> Iterator[StreamEvent]:
    """Events as they come. `place` follows what the stream says of itself."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
    unread = ""
    event, last_id, data = "", place.id, list[str]()
    for piece in pieces:
        unread += decoder.decode(piece)
        if len(unread) > FRAME_CHARS_MAX:
            raise NetworkError("An event is larger than any that Parley sends.")
        # A carriage return at the end may be half of a line break.
        *lines, unread = re.split(r"\r\n|\n|\r(?!\Z)", unread)
        for line in lines:
            name, _, text = line.partition(":")
            text = text.removeprefix(" ")
            if line == "":
                place.id = last_id  # not before: an event that was cut in the middle is to come again
                if data:
                    yield StreamEvent(event or "message", _parsed("\n".join(data)), last_id)
                event, data = "", []
            elif name == "data":
                data.append(text)
            elif name == "event":
                event = text
            elif name == "id":
                last_id = text
            elif name == "retry" and re.fullmatch(r"[0-9]{1,9}", text):
                place.retry_s = int(text) / 1000


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
