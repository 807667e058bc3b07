"""The events of a short session, as LiveKit Agents emits them, through the observer."""

import os
from types import SimpleNamespace

from livekit_observer import observe
from parley_voice import ParleyConversation


class Session:
    def __init__(self):
        self.handlers = {}

    def on(self, name, handler):
        self.handlers[name] = handler

    def emit(self, name, **members):
        self.handlers[name](SimpleNamespace(**members))


def metrics(name, **members):
    return type(name, (SimpleNamespace,), {})(**members)


def conversation(conversation_id):
    return ParleyConversation(os.environ["PARLEY_URL"], os.environ["PARLEY_KEY"], conversation_id)


def item(role, text, interrupted=False):
    return SimpleNamespace(role=role, text_content=text, interrupted=interrupted)


call = conversation("livekit-1")
session = Session()
observe(session, call, channel="web")
session.emit("user_input_transcribed", transcript="Is it", is_final=False)
session.emit("user_input_transcribed", transcript="Is it open?", is_final=True)
session.emit("conversation_item_added", item=item("user", "Is it open?"))
session.emit("metrics_collected", metrics=metrics("EOUMetrics", transcription_delay=0.2, end_of_utterance_delay=0.3))
session.emit("metrics_collected", metrics=metrics("LLMMetrics", ttft=0.3))
session.emit("metrics_collected", metrics=metrics("TTSMetrics", ttfb=0.1))
session.emit(
    "function_tools_executed",
    function_calls=[SimpleNamespace(name="hours", arguments='{"day": "today"}')],
    function_call_outputs=[SimpleNamespace(output="until nine")],
)
session.emit("conversation_item_added", item=item("assistant", "Until nine."))
session.emit("close", reason=SimpleNamespace(value="participant_disconnected"), error=None)
assert call.close()

failed = conversation("livekit-2")
session = Session()
observe(session, failed, channel="web")
session.emit("close", reason=SimpleNamespace(value="error"), error="no model")
assert failed.close()
print("sent")
