"""An observer for Pipecat that reports a conversation to the Parley voice API.

    call = ParleyConversation(base_url, api_key, conversation_id, bot_id="bot_ada")
    task = PipelineTask(pipeline, observers=[ParleyObserver(call)], enable_metrics=True)

Frames are distinguished by class name, so only the base class of observers is imported from
Pipecat.
"""

try:
    from pipecat.observers.base_observer import BaseObserver
except ImportError:  # for the test of this file, which runs without Pipecat

    class BaseObserver:
        def __init__(self, **_kwargs):
            pass


#: Names of Pipecat processors and the latency that their time to first byte measures.
STAGES = (("STT", "asr_ms"), ("LLM", "llm_ms"), ("TTS", "tts_ms"))


class ParleyObserver(BaseObserver):
    def __init__(self, call, channel="web", **started):
        super().__init__()
        self._call = call
        self._started = {"channel": channel, **started}
        self._seen = set()
        self._said = []
        self._metrics = {}
        self._bot_from = None
        self._user_from = None
        self._user_until = None
        self._interrupted = False

    async def on_push_frame(self, data):
        frame = data.frame
        # A frame passes every processor but is reported once.
        if frame.id in self._seen:
            return
        handler = getattr(self, "_on_" + type(frame).__name__, None)
        if handler is None:
            return
        self._seen.add(frame.id)
        handler(frame)

    def _on_StartFrame(self, _frame):
        self._call.started(**self._started)

    def _on_UserStartedSpeakingFrame(self, _frame):
        self._user_from = self._call.elapsed_ms()

    def _on_UserStoppedSpeakingFrame(self, _frame):
        self._user_until = self._call.elapsed_ms()

    def _on_InterimTranscriptionFrame(self, frame):
        self._call.interim(frame.text)

    def _on_TranscriptionFrame(self, frame):
        language = getattr(frame, "language", None)
        self._call.user_said(
            frame.text,
            start_ms=self._user_from,
            end_ms=self._user_until,
            language=None if language is None else str(getattr(language, "value", language)),
        )

    def _on_FunctionCallInProgressFrame(self, frame):
        self._call.tool_called(frame.function_name, frame.arguments)

    def _on_FunctionCallResultFrame(self, frame):
        self._call.tool_returned(frame.function_name, frame.result)

    def _on_MetricsFrame(self, frame):
        for one in frame.data:
            if not type(one).__name__.startswith("TTFB") or not one.value:
                continue
            for name, member in STAGES:
                if name in one.processor:
                    self._metrics[member] = round(one.value * 1000, 3)

    def _on_TTSTextFrame(self, frame):
        self._said.append(frame.text)

    def _on_BotStartedSpeakingFrame(self, _frame):
        self._bot_from = self._call.elapsed_ms()
        if self._user_until is not None and self._bot_from >= self._user_until:
            self._metrics["e2e_ms"] = round(self._bot_from - self._user_until, 3)
            self._user_until = None

    def _on_InterruptionFrame(self, _frame):
        self._interrupted = self._bot_from is not None

    _on_StartInterruptionFrame = _on_InterruptionFrame

    def _on_BotStoppedSpeakingFrame(self, _frame):
        self._report_bot()

    def _on_ErrorFrame(self, frame):
        self._call.failed("pipeline_error", frame.error, fatal=bool(getattr(frame, "fatal", False)))

    def _on_EndFrame(self, _frame):
        self._report_bot()
        self._call.ended("bot_hangup")

    def _on_CancelFrame(self, _frame):
        self._report_bot()
        self._call.ended("user_hangup")

    def _report_bot(self):
        text = " ".join(self._said).strip()
        if text:
            self._call.bot_said(
                text,
                start_ms=self._bot_from,
                end_ms=None if self._bot_from is None else self._call.elapsed_ms(),
                interrupted=self._interrupted,
                metrics=self._metrics or None,
            )
        self._said, self._metrics, self._bot_from, self._interrupted = [], {}, None, False
