"""The frames of a short call, as Pipecat pushes them, through the observer."""

import asyncio
import itertools
import os
from types import SimpleNamespace

from parley_voice import ParleyConversation
from pipecat_observer import ParleyObserver

ids = itertools.count()


def frame(name, **members):
    made = type(name, (SimpleNamespace,), {})(**members)
    made.id = next(ids)
    return made


def ttfb(processor, value):
    return type("TTFBMetricsData", (SimpleNamespace,), {})(processor=processor, value=value)


FRAMES = [
    frame("StartFrame"),
    frame("UserStartedSpeakingFrame"),
    frame("InterimTranscriptionFrame", text="A table"),
    frame("UserStoppedSpeakingFrame"),
    frame("TranscriptionFrame", text="A table for two.", language=SimpleNamespace(value="en")),
    frame("MetricsFrame", data=[ttfb("DeepgramSTTService#0", 0.12), ttfb("OpenAILLMService#0", 0.31)]),
    frame("FunctionCallInProgressFrame", function_name="find_table", arguments={"people": 2}),
    frame("FunctionCallResultFrame", function_name="find_table", result={"table": 7}),
    frame("MetricsFrame", data=[ttfb("CartesiaTTSService#0", 0.09)]),
    frame("BotStartedSpeakingFrame"),
    frame("TTSTextFrame", text="Table seven"),
    frame("TTSTextFrame", text="is yours."),
    frame("BotStoppedSpeakingFrame"),
    frame("BotStartedSpeakingFrame"),
    frame("TTSTextFrame", text="Anything"),
    frame("InterruptionFrame"),
    frame("BotStoppedSpeakingFrame"),
    frame("HeartbeatFrame"),
    frame("EndFrame"),
]


async def main():
    call = ParleyConversation(os.environ["PARLEY_URL"], os.environ["PARLEY_KEY"], "pipecat-1", bot_id="bot_ada")
    observer = ParleyObserver(call, sender="sip:ada@example.com")
    for one in FRAMES:
        for _processor in range(3):
            await observer.on_push_frame(SimpleNamespace(frame=one))
    assert await asyncio.to_thread(call.close)
    print("sent")


asyncio.run(main())
