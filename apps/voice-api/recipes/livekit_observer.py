"""Reports an AgentSession of LiveKit Agents to the Parley voice API.

    call = ParleyConversation(base_url, api_key, ctx.room.name, bot_id="bot_ada")
    observe(session, call, channel="web")
    await session.start(agent=Agent(), room=ctx.room)
    ctx.add_shutdown_callback(lambda: asyncio.to_thread(call.close))
"""

#: Close reasons of a session and our end reasons.
REASONS = {
    "participant_disconnected": "user_hangup",
    "user_initiated": "bot_hangup",
    "task_completed": "flow_completed",
    "job_shutdown": "bot_hangup",
}


def observe(session, call, **started):
    """Call before `session.start`. Handlers only queue events and never wait."""
    metrics = {}

    def on_metrics(event):
        one = event.metrics
        name = type(one).__name__
        if name == "EOUMetrics":
            metrics["asr_ms"] = _ms(one.transcription_delay)
            metrics["e2e_ms"] = metrics.get("e2e_ms", 0) + _ms(one.end_of_utterance_delay)
        elif name == "LLMMetrics":
            metrics["llm_ms"] = _ms(one.ttft)
            metrics["e2e_ms"] = metrics.get("e2e_ms", 0) + _ms(one.ttft)
        elif name == "TTSMetrics":
            metrics["tts_ms"] = _ms(one.ttfb)
            metrics["e2e_ms"] = metrics.get("e2e_ms", 0) + _ms(one.ttfb)

    def on_transcribed(event):
        if not event.is_final:
            call.interim(event.transcript)

    def on_item(event):
        item = event.item
        text = getattr(item, "text_content", None)
        if not text:
            return
        if item.role == "user":
            call.user_said(text, end_ms=call.elapsed_ms(), confidence=getattr(item, "transcript_confidence", None))
        elif item.role == "assistant":
            call.bot_said(text, interrupted=bool(item.interrupted), metrics=dict(metrics) or None)
            metrics.clear()
        else:
            call.system(text)

    def on_tools(event):
        for called, returned in zip(event.function_calls, event.function_call_outputs):
            call.tool_called(called.name, called.arguments)
            if returned is not None:
                call.tool_returned(called.name, returned.output)

    def on_close(event):
        reason = str(getattr(event.reason, "value", event.reason))
        if event.error is not None:
            call.failed("session_error", event.error)
        else:
            call.ended(REASONS.get(reason, reason))

    session.on("metrics_collected", on_metrics)
    session.on("user_input_transcribed", on_transcribed)
    session.on("conversation_item_added", on_item)
    session.on("function_tools_executed", on_tools)
    session.on("close", on_close)
    call.started(**started)


def _ms(seconds):
    return round(max(0, seconds) * 1000, 3)
