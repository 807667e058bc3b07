"""What an event stream is read as, wherever the network cuts it into pieces (docs/sdk.md#streams)."""

import unittest
from itertools import islice

from parley_sdk import EventStream, NetworkError, StreamEvent
from parley_sdk._options import Operation
from parley_sdk._stream import Place, events_in

OPERATION = Operation("GET", "/stream", stream=True)


class Pieces:
    """Stands for a stream that was opened; `cut` breaks it off."""

    def __init__(self, pieces, cut):
        self._pieces, self._cut = pieces, cut

    def __iter__(self):
        yield from (piece.encode() for piece in self._pieces)
        if self._cut:
            raise NetworkError("The stream was cut.")

    def close(self):
        pass


def stream_of(answers, cut):
    asked = []

    def opens(last_id):
        asked.append(last_id)
        return Pieces(answers[len(asked) - 1], cut)

    return EventStream(OPERATION, opens), asked


class Streams(unittest.TestCase):
    def test_wherever_it_is_cut_into_pieces(self):
        text = (
            'retry: 5\n\n: a comment\nevent: one\ndata: {"a":1}\n\ndata: two\r\ndata:lines\r\n\r\n'
            'event\rdata: "é\u2028"\r\r\n'
        ).encode()
        expected = [
            StreamEvent("one", {"a": 1}, ""),
            StreamEvent("message", "two\nlines", ""),
            StreamEvent("message", "é\u2028", ""),
        ]
        for size in range(1, len(text) + 1):
            place = Place()
            pieces = [text[at : at + size] for at in range(0, len(text), size)]
            self.assertEqual(list(events_in(pieces, place)), expected)
            self.assertEqual(place.retry_s, 0.005)

    def test_it_goes_on_after_the_last_event_that_came_whole(self):
        answers = [["retry: 1\n\nid: 7\ndata: 1\n\n", "id: 8\ndata: 2"], ["id: 8\ndata: 2\n\n"]]
        stream, asked = stream_of(answers, cut=True)
        self.assertEqual(list(islice(stream, 2)), [StreamEvent("message", 1, "7"), StreamEvent("message", 2, "8")])
        self.assertEqual(asked, ["", "7"])

    def test_without_a_place_an_end_is_the_end_and_a_cut_is_an_error(self):
        self.assertEqual(len(list(stream_of([["data: 1\n\n"]], cut=False)[0])), 1)
        with self.assertRaisesRegex(NetworkError, "cut"):
            list(stream_of([["data: 1\n\n"]], cut=True)[0])

    def test_an_event_that_never_ends_is_refused(self):
        with self.assertRaisesRegex(NetworkError, "larger"):
            list(stream_of([["data: ", *["x" * 2**20] * 3]], cut=False)[0])

    def test_one_that_was_closed_ends(self):
        stream, asked = stream_of([["id: 1\ndata: 1\n\n"]], cut=True)
        seen = []
        for event in stream:
            seen.append(event.data)
            stream.close()
        self.assertEqual((seen, asked), ([1], [""]))
