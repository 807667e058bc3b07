"""When a call is repeated, after how long, and what is sent (docs/sdk.md#repeats)."""

import inspect
import json
import re
import time
import unittest
from datetime import datetime, timezone
from email.message import Message
from email.utils import formatdate
from pathlib import Path

from parley_sdk import NetworkError, Parley, ParleyError, Service, UnprocessableError
from parley_sdk._methods import Methods
from parley_sdk._options import Operation, Response
from parley_sdk._send import path_of, pause_before
from parley_sdk.errors import api_error_of

ROOT = Path(__file__).parents[3]


def answered(status, retry_after=None, content=b""):
    headers = Message()
    if retry_after is not None:
        headers["Retry-After"] = retry_after
    return api_error_of(status, headers, content)


class Feed(unittest.TestCase):
    def test_an_outdated_position_names_where_to_go_on_and_is_not_repeated(self):
        body = {"success": False, "error": {"code": "POSITION_OUTDATED", "message": "Go on.", "details": {"next_after": "2-"}}}
        error = answered(410, content=json.dumps(body).encode())
        self.assertEqual((error.status, error.code), (410, "position_outdated"))
        self.assertEqual(error.body["error"]["details"]["next_after"], "2-")
        self.assertIsNone(pause_before(error, 0, False))


class Paths(unittest.TestCase):
    def test_an_id_that_would_name_another_path_is_refused(self):
        operation = Operation("DELETE", "/v1/flows/{flow_id}/tests/{name}")
        for name in ("", ".", "..", "..."):
            with self.assertRaisesRegex(ValueError, "name must be"):
                path_of(operation, {"flow_id": "f", "name": name})


class Pauses(unittest.TestCase):
    def test_what_helps_is_repeated_and_nothing_else(self):
        for status in (408, 425, 429, 500, 502, 503, 504):
            self.assertGreater(pause_before(answered(status), 0, False), 0)
        for status in (302, 400, 401, 403, 404, 409, 412, 413, 422):
            self.assertIsNone(pause_before(answered(status), 0, True))
        self.assertIsNone(pause_before(ParleyError(), 0, False))

    def test_pauses_double_each_up_to_half_of_it_less(self):
        for attempt, ceiling in enumerate((0.5, 1, 2, 4, 8, 8)):
            pauses = [pause_before(NetworkError(), attempt, False) for _ in range(50)]
            self.assertLessEqual(max(pauses), ceiling)
            self.assertGreaterEqual(min(pauses), ceiling / 2)
            self.assertGreater(len(set(pauses)), 10)

    def test_retry_after_makes_a_pause_longer(self):
        self.assertEqual(pause_before(answered(503, "20"), 0, False), 20)
        date = formatdate(time.time() + 30, usegmt=True)
        self.assertGreater(pause_before(answered(429, date), 0, False), 28)
        self.assertIsNone(pause_before(answered(429, "61"), 0, False))
        self.assertLessEqual(pause_before(answered(429, "soon"), 0, False), 0.5)

    def test_a_creating_call_waits_for_its_own_first_attempt(self):
        self.assertEqual(pause_before(answered(409, "1"), 0, True), 1)
        self.assertIsNone(pause_before(answered(409, "1"), 0, False))


class Paths(unittest.TestCase):
    def test_what_the_path_names_goes_into_it_the_rest_into_the_query(self):
        operation = Operation("GET", "/v1/flows/{flow_id}/tests/{name}")
        values = {"flow_id": "a/b ä", "name": "x", "limit": 2, "q": None, "trace": True, "tags": ["a", "b"]}
        self.assertEqual(path_of(operation, values), "/v1/flows/a%2Fb%20%C3%A4/tests/x?limit=2&trace=true&tags=a%2Cb")
        since = {"since": datetime(2026, 1, 2, tzinfo=timezone.utc)}
        self.assertEqual(path_of(Operation("GET", "/v1/x"), since), "/v1/x?since=2026-01-02T00%3A00%3A00%2B00%3A00")

    def test_no_value_leads_out_of_its_path(self):
        for value in ("", ".", "..", None):
            with self.assertRaises(ValueError):
                path_of(Operation("GET", "/v1/flows/{flow_id}"), {"flow_id": value})
        with self.assertRaises(ValueError):
            path_of(Operation("GET", "/v1/x"), {"since": datetime(2026, 1, 2)})
        with self.assertRaises(TypeError):
            path_of(Operation("GET", "/v1/x"), {"q": {}})

    def test_an_address_is_that_of_a_service(self):
        for url in ("flows.example.com", "ftp://flows.example.com", "https://"):
            with self.assertRaises(ValueError):
                Parley(flow_builder=Service(url))

    def test_a_key_is_not_shown(self):
        self.assertNotIn("secret", repr(Service("http://a", "secret")))


class Errors(unittest.TestCase):
    def test_the_three_dialects_are_one(self):
        for status, body, said in (
            (422, {"code": "flow_has_errors", "detail": "2 errors", "errors": [{"path": "/a", "message": "b"}]}, "/a"),
            (422, {"error": {"code": "FLOW_HAS_ERRORS", "message": "2 errors", "details": {"fields": [{"path": "/a"}]}}}, "/a"),
            (422, {"error": "2 errors", "code": "flow_has_errors"}, None),
        ):
            error = answered(status, content=json.dumps(body).encode())
            self.assertIsInstance(error, UnprocessableError)
            self.assertEqual((error.code, str(error)), ("flow_has_errors", "2 errors"))
            self.assertEqual([field.path for field in error.fields], [said] if said else [])

    def test_members_are_read_from_one_text(self):
        text = "/target/email: must be an address; or a list; /query/limit: must be a number; body: is needed"
        error = answered(400, content=json.dumps({"error": text}).encode())
        self.assertEqual([(field.path, field.place) for field in error.fields], [("/target/email", None), ("/query/limit", "query"), ("", None)])
        self.assertEqual(error.fields[0].message, "must be an address; or a list")
        self.assertEqual(error.code, "invalid_request")

    def test_what_is_none_of_ours_is_shown_as_it_is(self):
        for content in (b"<html>", b"[1]", b'{"error": {"details": 7}}', b'{"errors": 7}', b"\xff", b""):
            self.assertEqual(answered(502, content=content).status, 502)


class EveryOperation(unittest.TestCase):
    def test_has_a_method(self):
        parley = Parley()
        for name in ("flow-builder", "voice-api", "notifications"):
            document = json.loads((ROOT / "apps" / name / "openapi.json").read_text())
            described = {
                re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", operation["operationId"])
                for path, methods in document["paths"].items()
                if not path.startswith("/openai/")
                for operation in methods.values()
            }
            client = getattr(parley, name.replace("-", "_"))
            base = dir(Methods)
            self.assertEqual({one for one, _ in inspect.getmembers(client, callable) if one not in base}, described)

    def test_one_of_a_service_that_was_not_named_says_so(self):
        with self.assertRaisesRegex(ParleyError, r"voice_api=Service"):
            Parley().voice_api.get_bot("a")

    def test_a_name_that_nobody_knows_is_refused(self):
        with self.assertRaisesRegex(TypeError, "limits"):
            Parley().voice_api.list_bots(limits=1)

    def test_an_answer_is_what_it_says_it_is(self):
        headers = Message()
        headers["Content-Type"] = "application/json"
        self.assertEqual(Response(200, headers, b'{"data": [1]}').data(enveloped=True), [1])
        self.assertIsNone(Response(204, headers, b"").data(enveloped=True))
        for content in (b"{", b"[]"):
            with self.assertRaises(NetworkError):
                Response(200, headers, content).data(enveloped=True)
