"""A conversation with a flow. The flow builder keeps no session: whoever calls carries the node, the variables and the results of tools from
turn to turn (docs/flow-language.md). This is that caller."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Mapping
from typing import Any, Unpack

from ._options import CallOptions
from .errors import ParleyError
from .generated.flow_builder import FlowBuilder

#: Does what a tool stands for, given its arguments and its action; what it returns goes into the variable that the flow names.
Tool = Callable[[Any, Mapping[str, Any]], Any]


class Conversation:
    def __init__(
        self,
        flows: FlowBuilder,
        flow_id: str,
        *,
        session_id: str | None = None,
        bot_id: str | None = None,
        version: int | None = None,
        variables: Mapping[str, Any] | None = None,
        tools: Mapping[str, Tool] | None = None,
        state: Mapping[str, Any] | None = None,
    ) -> None:
        self.flow_id = flow_id
        self._flows = flows
        self._bot_id = bot_id
        self._tools = dict(tools or {})
        self._turns = threading.Lock()
        begun = {
            "session_id": session_id or secrets.token_hex(16),
            **({} if version is None else {"version": version}),
            "node": None,
            "variables": dict(variables or {}),
            "status": "new",
        }
        self._state: dict[str, Any] = dict(state) if state is not None else begun

    @property
    def state(self) -> dict[str, Any]:
        """All there is to it, for JSON: keep it between two requests of yours."""
        return dict(self._state)

    @property
    def ended(self) -> bool:
        """There is nothing more to say."""
        return self._state["status"] != "new" and self._state["node"] is None

    def say(self, text: str | None = None, **options: Unpack[CallOptions]) -> dict[str, Any]:
        """One turn; without a text the opening one, or a caller who says nothing. Turns of several threads go one after the other. One that
        fails leaves everything as it was: say it again."""
        with self._turns:
            return self._say(text, options)

    def answer(self, action: Mapping[str, Any], result: Any) -> None:
        """Puts the result of an action into the variable that its node names: what the next turn knows."""
        name = action.get("output_var")
        if not isinstance(name, str):
            raise ParleyError(f"{action.get('node_id')} names no variable for its result.")
        self._state = {**self._state, "variables": {**self._state["variables"], name: result}}

    def _say(self, text: str | None, options: CallOptions) -> dict[str, Any]:
        if self.ended:
            raise ParleyError(f"The conversation is over: {self._state['status']}.")
        state = self._state
        body = {
            "session_id": state["session_id"],
            "current_node": state["node"],
            "user_input": text,
            "variables": state["variables"],
            **({"version": state["version"]} if "version" in state else {}),
            **({} if self._bot_id is None else {"bot_id": self._bot_id}),
        }
        turn: dict[str, Any] = self._flows.execute_turn(self.flow_id, body=body, **options)
        known = dict(turn["variables"])
        for action in turn["actions"]:
            tool = self._tools.get(str(action.get("tool")))
            if tool is None:
                continue
            result = tool(action.get("args"), action)
            if isinstance(action.get("output_var"), str):
                known[action["output_var"]] = result
        # Only now: a turn whose tool fails can be said again.
        self._state = {
            "session_id": state["session_id"],
            "version": turn["version"],
            "node": turn["next_node"],
            "variables": known,
            "status": turn["status"],
        }
        return turn
