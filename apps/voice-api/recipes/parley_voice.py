"""Reports one conversation to the Parley voice API. Standard library only; Python 3.9 and later.

    call = ParleyConversation("https://voice.example.com/v1", key, "call-7", bot_id="bot_ada")
    call.started(channel="phone", direction="inbound", sender="+15550100")
    call.user_said("A table for two.", confidence=0.93)
    call.bot_said("For when?", metrics={"e2e_ms": 480})
    call.ended("user_hangup")
    call.close()

A thread of its own sends events in batches and in order, so that the conversation never waits for
the network. Failed batches are sent again with the same ids, so repeated events are harmless.
"""

import json
import queue
import threading
import time
import urllib.error
import urllib.request
import uuid
from datetime import datetime, timezone

EVENTS_A_REQUEST = 100
WAITING_MAX = 10_000
ATTEMPTS = 8
TIMEOUT_SECONDS = 10
_END = object()


class ParleyConversation:
    """`on_problem` gets a message about rejected and lost events."""

    def __init__(self, base_url, api_key, conversation_id, bot_id=None, on_problem=print, clock=time.time):
        self.conversation_id = conversation_id
        self._url = base_url.rstrip("/") + "/conversations/events"
        self._key = api_key
        self._bot_id = bot_id
        self._on_problem = on_problem
        self._clock = clock
        self._began = clock()
        self._turn = 0
        self._waiting = queue.Queue(maxsize=WAITING_MAX)
        self._thread = threading.Thread(target=self._send_all, name="parley", daemon=True)
        self._thread.start()

    def started(self, channel=None, direction=None, sender=None, to=None, language=None, metadata=None):
        self._began = self._clock()
        data = {"channel": channel, "direction": direction, "from": sender, "to": to}
        self._report("conversation.started", {**data, "language": language, "metadata": metadata})

    def interim(self, text):
        """The interim transcription; the next `user_said` replaces it."""
        self._report("speech.interim", {"turn_index": self._turn, "text": text})

    def user_said(self, text, **more):
        """`more`: start_ms, end_ms (from the start), confidence, language, words, metrics."""
        self._say("speech.final", text, more)

    def bot_said(self, text, **more):
        """`more`: start_ms, end_ms, interrupted, metrics {e2e_ms, asr_ms, llm_ms, tts_ms}."""
        self._say("bot.message", text, more)

    def tool_called(self, name, arguments=None):
        self._say("tool.called", f"{name}({_text(arguments)})", {})

    def tool_returned(self, name, result=None):
        self._say("tool.returned", f"{name}: {_text(result)}", {})

    def system(self, text):
        self._say("system.message", text, {})

    def failed(self, code, message, fatal=True):
        self._report("conversation.error", {"code": code, "message": str(message)[:2000], "fatal": fatal})

    def ended(self, reason=None, detail=None, **more):
        """`more`: ended_by, duration_seconds, metadata, cost, recording_url."""
        self._report("conversation.ended", {"end_reason": reason, "end_detail": detail, **more})

    def elapsed_ms(self):
        return round((self._clock() - self._began) * 1000, 3)

    def close(self, timeout=30):
        """Waits until everything is sent. Returns False after `timeout` seconds."""
        self._waiting.put(_END)
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _say(self, kind, text, more):
        self._report(kind, {"turn_index": self._turn, "text": text, **more})
        self._turn += 1

    def _report(self, kind, data):
        at = datetime.fromtimestamp(self._clock(), timezone.utc).isoformat(timespec="milliseconds")
        event = {
            "id": str(uuid.uuid4()),
            "type": kind,
            "conversation_id": self.conversation_id,
            "occurred_at": at.replace("+00:00", "Z"),
            "data": {name: value for name, value in data.items() if value is not None},
        }
        if self._bot_id is not None:
            event["bot_id"] = self._bot_id
        try:
            self._waiting.put_nowait(event)
        except queue.Full:
            self._on_problem(f"{kind} was dropped: {WAITING_MAX} events wait already")

    def _send_all(self):
        over = False
        while not over:
            events = [self._waiting.get()]
            while len(events) < EVENTS_A_REQUEST and events[-1] is not _END:
                try:
                    events.append(self._waiting.get_nowait())
                except queue.Empty:
                    break
            if events[-1] is _END:
                events.pop()
                over = True
            if events:
                self._send(events)

    def _send(self, events):
        body = json.dumps({"events": events}).encode()
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        for attempt in range(ATTEMPTS):
            try:
                request = urllib.request.Request(self._url, body, headers, method="POST")
                with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as answer:
                    taken = json.load(answer)["data"]
                for one in taken["rejected"]:
                    self._on_problem(f"{events[one['index']]['type']} was refused: {one['message']}")
                return
            except urllib.error.HTTPError as error:
                if error.code not in (408, 429) and error.code < 500:
                    self._on_problem(f"{len(events)} events were refused: {error.code} {error.read()[:500]!r}")
                    return
                problem = f"{error.code}"
                wait = float(error.headers.get("Retry-After") or 2**attempt / 4)
            except (OSError, ValueError, KeyError) as error:
                problem, wait = str(error), 2**attempt / 4
            if attempt + 1 < ATTEMPTS:
                time.sleep(min(wait, 30))
        self._on_problem(f"{len(events)} events were given up after {ATTEMPTS} attempts: {problem}")


def _text(value):
    return value if isinstance(value, str) else json.dumps(value, default=str)
