"""The client: every operation of the three services as a method, made of their OpenAPI documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._conversation import Conversation, Tool
from ._options import CallOptions, Service
from ._send import RETRIES, TIMEOUT_S, Sender
from .generated.flow_builder import FlowBuilder
from .generated.notifications import Notifications
from .generated.voice_api import VoiceApi


class Parley:
    """Only the services that are used need be there. Any number of threads may use it."""

    def __init__(
        self,
        *,
        flow_builder: Service | None = None,
        voice_api: Service | None = None,
        notifications: Service | None = None,
        timeout: float = TIMEOUT_S,
        retries: int = RETRIES,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        defaults: CallOptions = {"timeout": timeout, "retries": retries, "headers": dict(headers or {})}

        def to(service: Service | None) -> Sender | None:
            return None if service is None else Sender(service, defaults)

        self.flow_builder = FlowBuilder("flow_builder", to(flow_builder), False)
        self.voice_api = VoiceApi("voice_api", to(voice_api), True)
        self.notifications = Notifications("notifications", to(notifications), False)

    def conversation(
        self,
        flow_id: str,
        *,
        session_id: str | None = None,
        bot_id: str | None = None,
        version: int | None = None,
        variables: Mapping[str, Any] | None = None,
        tools: Mapping[str, Tool] | None = None,
        state: Mapping[str, Any] | None = None,
    ) -> Conversation:
        """A conversation with a flow. Nothing is sent before its first turn.

        `session_id` is chosen at random unless given; with `bot_id` it is the id of the conversation at the voice API, to which the turns are
        reported as those of this bot. `version` is by default the published one, from the first turn on. `tools` are by the names that the
        flow's tool nodes have; one that is not here is left to `answer`. `state` goes on where that of an earlier one ended.
        """
        return Conversation(
            self.flow_builder,
            flow_id,
            session_id=session_id,
            bot_id=bot_id,
            version=version,
            variables=variables,
            tools=tools,
            state=state,
        )
