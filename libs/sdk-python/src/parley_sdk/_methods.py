"""What the generated methods are made of."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

from ._options import CallOptions, Operation, Response
from ._send import Opened, Sender
from ._stream import SILENCE_S_MAX, EventStream
from .errors import ParleyError


class Pages:
    """A list. Looped over, the items of all pages, each page asked for when it is needed."""

    def __init__(self, asks: Callable[[str | None], Any], items: str) -> None:
        self._asks = asks
        self._items = items

    def page(self) -> Any:
        """The first page."""
        return self._asks(None)

    def __iter__(self) -> Iterator[Any]:
        page = self._asks(None)
        while True:
            yield from page[self._items]
            cursor = page.get("next_cursor")
            if not cursor:
                return
            page = self._asks(cursor)


class Methods:
    """A service. The methods stand in `generated`, one an operationId."""

    def __init__(self, name: str, sender: Sender | None, enveloped: bool) -> None:
        self._name = name
        self._sender = sender
        self._enveloped = enveloped
        self._whole = False

    @property
    def with_response(self) -> Self:
        """The same methods, which give the answer as it came (`Response`); lists their first page."""
        whole = copy.copy(self)
        whole._whole = True
        return whole

    def _call(self, operation: Operation, values: Mapping[str, Any], body: Any, options: CallOptions) -> Any:
        _check(options)
        response = self._reached().send(operation, values, body, options)
        return response if self._whole else response.data(self._enveloped)

    def _list(self, operation: Operation, values: Mapping[str, Any], options: CallOptions) -> Any:
        _check(options)

        def asks(cursor: str | None) -> Any:
            return self._call(operation, values if cursor is None else {**values, "cursor": cursor}, None, options)

        return asks(None) if self._whole else Pages(asks, operation.pages or "items")

    def _stream(self, operation: Operation, values: Mapping[str, Any], options: CallOptions) -> EventStream:
        _check(options)
        sender = self._reached()

        def opens(last_id: str) -> Opened:
            place = {"last-event-id": last_id} if last_id else {}
            headers = {**options.get("headers", {}), "accept": "text/event-stream", **place}
            # The place that the caller named is passed by now.
            asked = {**values, "last_event_id": None} if last_id else values
            return sender.open(operation, asked, {**options, "headers": headers}, SILENCE_S_MAX)

        return EventStream(operation, opens)

    def _reached(self) -> Sender:
        if self._sender is None:
            raise ParleyError(f"Parley({self._name}=Service(url, key)): where the service is was not said")
        return self._sender


def _check(options: CallOptions) -> None:
    """Python itself refuses a name that it does not know, but not where there are keywords without a name."""
    for name in options:
        if name not in CallOptions.__annotations__:
            raise TypeError(f"there is no parameter and no option {name!r}")


__all__ = ["Methods", "Pages", "Response"]
