"""Made from apps/voice-api/openapi.json by `npm run docs`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from .._methods import Methods, Pages
from .._options import CallOptions, Operation
from .._stream import EventStream


class VoiceApi(Methods):
    def take_conversation_events(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Report 1 to 500 conversation events; repeated ones are harmless."""
        operation = Operation("POST", "/v1/conversations/events")
        return self._call(operation, {}, body, options)

    def list_conversations(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        sort: str | None = None,
        order: str | None = None,
        total: bool | None = None,
        bot_id: str | None = None,
        status: Any | None = None,
        channel: str | None = None,
        direction: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        language: str | None = None,
        end_reason: Any | None = None,
        tags: Any | None = None,
        flow_id: str | None = None,
        flow_version: int | None = None,
        has_error: bool | None = None,
        duration_min: float | None = None,
        duration_max: float | None = None,
        started_after: str | None = None,
        started_before: str | None = None,
        ended_after: str | None = None,
        ended_before: str | None = None,
        updated_after: str | None = None,
        updated_before: str | None = None,
        q: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List the conversations, newest first; filtered by their members, by `metadata.<key>=`, and by what was said."""
        operation = Operation("GET", "/v1/conversations", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor, "sort": sort, "order": order, "total": total, "bot_id": bot_id, "status": status, "channel": channel, "direction": direction, "from": from_, "to": to, "language": language, "end_reason": end_reason, "tags": tags, "flow_id": flow_id, "flow_version": flow_version, "has_error": has_error, "duration_min": duration_min, "duration_max": duration_max, "started_after": started_after, "started_before": started_before, "ended_after": ended_after, "ended_before": ended_before, "updated_after": updated_after, "updated_before": updated_before, "q": q}, options)

    def get_conversation(
        self,
        conversation_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """One conversation."""
        operation = Operation("GET", "/v1/conversations/{conversation_id}")
        return self._call(operation, {"conversation_id": conversation_id}, None, options)

    def update_conversation(
        self,
        conversation_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Say what is known after the call: metadata, tags, cost, recording, summary, analysis."""
        operation = Operation("PATCH", "/v1/conversations/{conversation_id}")
        return self._call(operation, {"conversation_id": conversation_id}, body, options)

    def delete_conversation(
        self,
        conversation_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Erase a conversation for ever, everywhere."""
        operation = Operation("DELETE", "/v1/conversations/{conversation_id}")
        return self._call(operation, {"conversation_id": conversation_id}, None, options)

    def get_transcript(
        self,
        conversation_id: str,
        *,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """Its transcript, a page of a mebibyte: JSON, or text/vtt or text/plain where Accept asks for it."""
        operation = Operation("GET", "/v1/conversations/{conversation_id}/transcript", pages="turns")
        return self._list(operation, {"conversation_id": conversation_id, "cursor": cursor}, options)

    def list_recorded_turns(
        self,
        conversation_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """The recorded turns of its flow, in their order, a page of a mebibyte."""
        operation = Operation("GET", "/v1/conversations/{conversation_id}/turns", pages="items")
        return self._list(operation, {"conversation_id": conversation_id, "limit": limit, "cursor": cursor}, options)

    def update_conversations(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """The same for all conversations that a filter means; dry_run only counts them."""
        operation = Operation("POST", "/v1/conversations/bulk-update")
        return self._call(operation, {}, body, options)

    def delete_conversations(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Erase all conversations that a filter means; dry_run only counts them."""
        operation = Operation("POST", "/v1/conversations/bulk-delete")
        return self._call(operation, {}, body, options)

    def import_vapi_call(
        self,
        *,
        body: Mapping[str, Any] | None = None,
        bot_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Take an end-of-call report as vapi sends it; repeated ones are harmless."""
        operation = Operation("POST", "/v1/conversations/import/vapi")
        return self._call(operation, {"bot_id": bot_id}, body, options)

    def import_retell_call(
        self,
        *,
        body: Mapping[str, Any] | None = None,
        bot_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Take an end-of-call report as retell sends it; repeated ones are harmless."""
        operation = Operation("POST", "/v1/conversations/import/retell")
        return self._call(operation, {"bot_id": bot_id}, body, options)

    def create_export(
        self,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Have conversations or deliveries written into a file, which is kept for a day."""
        operation = Operation("POST", "/v1/exports", creates=True)
        return self._call(operation, {}, body, options)

    def list_exports(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List the exports, newest first."""
        operation = Operation("GET", "/v1/exports", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor}, options)

    def get_export(
        self,
        export_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """How far an export is."""
        operation = Operation("GET", "/v1/exports/{export_id}")
        return self._call(operation, {"export_id": export_id}, None, options)

    def get_export_part(
        self,
        export_id: str,
        part: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """A part of the file, of about a mebibyte, from 1 on; `Link` names the next one."""
        operation = Operation("GET", "/v1/exports/{export_id}/parts/{part}")
        return self._call(operation, {"export_id": export_id, "part": part}, None, options)

    def create_bot(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Create a bot."""
        operation = Operation("POST", "/v1/bots", creates=True)
        return self._call(operation, {}, body, options)

    def list_bots(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: str | None = None,
        tag: str | None = None,
        q: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List the bots, newest first."""
        operation = Operation("GET", "/v1/bots", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor, "status": status, "tag": tag, "q": q}, options)

    def get_bot(
        self,
        bot_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """One bot."""
        operation = Operation("GET", "/v1/bots/{bot_id}")
        return self._call(operation, {"bot_id": bot_id}, None, options)

    def update_bot(
        self,
        bot_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Change a bot; its version grows."""
        operation = Operation("PATCH", "/v1/bots/{bot_id}")
        return self._call(operation, {"bot_id": bot_id}, body, options)

    def delete_bot(
        self,
        bot_id: str,
        *,
        purge: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Archive a bot; with purge=true (scope admin) remove it and its conversations for ever."""
        operation = Operation("DELETE", "/v1/bots/{bot_id}")
        return self._call(operation, {"bot_id": bot_id, "purge": purge}, None, options)

    def list_bot_versions(
        self,
        bot_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """A bot as it was, newest first; an archived one too."""
        operation = Operation("GET", "/v1/bots/{bot_id}/versions", pages="items")
        return self._list(operation, {"bot_id": bot_id, "limit": limit, "cursor": cursor}, options)

    def restore_bot(
        self,
        bot_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Bring an archived bot back, paused."""
        operation = Operation("POST", "/v1/bots/{bot_id}/restore")
        return self._call(operation, {"bot_id": bot_id}, None, options)

    def get_usage(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        interval: str | None = None,
        timezone: str | None = None,
        bot_id: str | None = None,
        flow_id: str | None = None,
        flow_version: float | None = None,
        group_by: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Usage by hour, day, week or month: conversations, minutes, turns, callers, webhook deliveries, API requests."""
        operation = Operation("GET", "/v1/analytics/usage")
        return self._call(operation, {"from": from_, "to": to, "interval": interval, "timezone": timezone, "bot_id": bot_id, "flow_id": flow_id, "flow_version": flow_version, "group_by": group_by}, None, options)

    def get_performance(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        interval: str | None = None,
        timezone: str | None = None,
        bot_id: str | None = None,
        flow_id: str | None = None,
        flow_version: float | None = None,
        group_by: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Performance by hour, day, week or month: rates, durations, latencies, webhook outcomes."""
        operation = Operation("GET", "/v1/analytics/performance")
        return self._call(operation, {"from": from_, "to": to, "interval": interval, "timezone": timezone, "bot_id": bot_id, "flow_id": flow_id, "flow_version": flow_version, "group_by": group_by}, None, options)

    def get_flow_steps(
        self,
        *,
        flow_id: str,
        version: float,
        **options: Unpack[CallOptions],
    ) -> Any:
        """How many turns passed each node and edge of a version of a flow, and where callers left."""
        operation = Operation("GET", "/v1/analytics/flow-steps")
        return self._call(operation, {"flow_id": flow_id, "version": version}, None, options)

    def register_webhook(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Register a webhook; its secret is in this answer only."""
        operation = Operation("POST", "/v1/webhooks", creates=True)
        return self._call(operation, {}, body, options)

    def list_webhooks(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List the webhooks, newest first."""
        operation = Operation("GET", "/v1/webhooks", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor}, options)

    def get_webhook(
        self,
        webhook_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """One webhook, and how its deliveries of the last 24 hours went."""
        operation = Operation("GET", "/v1/webhooks/{webhook_id}")
        return self._call(operation, {"webhook_id": webhook_id}, None, options)

    def change_webhook(
        self,
        webhook_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Change a webhook, disable it, or enable it again."""
        operation = Operation("PATCH", "/v1/webhooks/{webhook_id}")
        return self._call(operation, {"webhook_id": webhook_id}, body, options)

    def delete_webhook(
        self,
        webhook_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Remove a webhook."""
        operation = Operation("DELETE", "/v1/webhooks/{webhook_id}")
        return self._call(operation, {"webhook_id": webhook_id}, None, options)

    def test_webhook(
        self,
        webhook_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Send a made-up event now and tell what came of it."""
        operation = Operation("POST", "/v1/webhooks/{webhook_id}/test")
        return self._call(operation, {"webhook_id": webhook_id}, body, options)

    def rotate_webhook_secret(
        self,
        webhook_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """A new secret; the old one signs too until the grace ends."""
        operation = Operation("POST", "/v1/webhooks/{webhook_id}/rotate-secret", creates=True)
        return self._call(operation, {"webhook_id": webhook_id}, body, options)

    def list_all_deliveries(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: str | None = None,
        event: str | None = None,
        since: str | None = None,
        until: str | None = None,
        webhook_id: str | None = None,
        conversation_id: str | None = None,
        http_status: int | None = None,
        event_id: str | None = None,
        error_class: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """The deliveries of all webhooks, newest first."""
        operation = Operation("GET", "/v1/deliveries", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor, "status": status, "event": event, "since": since, "until": until, "webhook_id": webhook_id, "conversation_id": conversation_id, "http_status": http_status, "event_id": event_id, "error_class": error_class}, options)

    def get_delivery_of_all(
        self,
        delivery_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """One delivery of whichever webhook: what was sent, and every attempt with its answer."""
        operation = Operation("GET", "/v1/deliveries/{delivery_id}")
        return self._call(operation, {"delivery_id": delivery_id}, None, options)

    def list_deliveries(
        self,
        webhook_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: str | None = None,
        event: str | None = None,
        since: str | None = None,
        until: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """The delivery log of a webhook, newest first."""
        operation = Operation("GET", "/v1/webhooks/{webhook_id}/deliveries", pages="items")
        return self._list(operation, {"webhook_id": webhook_id, "limit": limit, "cursor": cursor, "status": status, "event": event, "since": since, "until": until}, options)

    def get_delivery(
        self,
        webhook_id: str,
        delivery_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """One delivery: what was sent, and every attempt with its answer."""
        operation = Operation("GET", "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}")
        return self._call(operation, {"webhook_id": webhook_id, "delivery_id": delivery_id}, None, options)

    def retry_delivery(
        self,
        webhook_id: str,
        delivery_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Make the planned attempt now, or send a finished delivery once more."""
        operation = Operation("POST", "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/retry", creates=True)
        return self._call(operation, {"webhook_id": webhook_id, "delivery_id": delivery_id}, None, options)

    def replay_deliveries(
        self,
        webhook_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Send the events of a stretch of time again; by default those that did not arrive."""
        operation = Operation("POST", "/v1/webhooks/{webhook_id}/replay", creates=True)
        return self._call(operation, {"webhook_id": webhook_id}, body, options)

    def verify_delivery(
        self,
        webhook_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Tell which signature of a received request fits, or why none does."""
        operation = Operation("POST", "/v1/webhooks/{webhook_id}/verify")
        return self._call(operation, {"webhook_id": webhook_id}, body, options)

    def read_events(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        wait: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Everything that webhooks are told, of 30 days, in an order that misses nothing."""
        operation = Operation("GET", "/v1/events")
        return self._call(operation, {"after": after, "limit": limit, "wait": wait}, None, options)

    def stream_conversation(
        self,
        conversation_id: str,
        *,
        ticket: str | None = None,
        last_event_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> EventStream:
        """Its events as they are applied, as server-sent events named by their type; ready, reset."""
        operation = Operation("GET", "/v1/conversations/{conversation_id}/stream", stream=True)
        return self._stream(operation, {"conversation_id": conversation_id, "ticket": ticket, "last_event_id": last_event_id}, options)

    def make_stream_ticket(
        self,
        conversation_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """A ticket that opens one stream of the conversation, for EventSource."""
        operation = Operation("POST", "/v1/conversations/{conversation_id}/stream-ticket")
        return self._call(operation, {"conversation_id": conversation_id}, body, options)

    def create_api_key(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Issue a product API key; the answer shows it once."""
        operation = Operation("POST", "/v1/api-keys", creates=True)
        return self._call(operation, {}, body, options)

    def list_api_keys(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List the keys that are not revoked, newest first."""
        operation = Operation("GET", "/v1/api-keys", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor}, options)

    def get_my_api_key(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """The key that this request was made with."""
        operation = Operation("GET", "/v1/api-keys/me")
        return self._call(operation, {}, None, options)

    def delete_api_key(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Revoke a key at once."""
        operation = Operation("DELETE", "/v1/api-keys/{id}")
        return self._call(operation, {"id": id}, None, options)

    def rotate_api_key(
        self,
        id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Issue a successor with the same name, scopes, bots and addresses; the old key stays valid for the grace time."""
        operation = Operation("POST", "/v1/api-keys/{id}/rotate", creates=True)
        return self._call(operation, {"id": id}, body, options)

    def list_audit_log(
        self,
        *,
        action: str | None = None,
        actor: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """Who did what, newest first; kept for a year."""
        operation = Operation("GET", "/v1/audit-log", pages="items")
        return self._list(operation, {"action": action, "actor": actor, "from": from_, "to": to, "limit": limit, "cursor": cursor}, options)

    def list_alerts(
        self,
        *,
        status: str | None = None,
        kind: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """What goes wrong for the organisation on this platform, newest first; for its operators."""
        operation = Operation("GET", "/v1/alerts", pages="items")
        return self._list(operation, {"status": status, "kind": kind, "limit": limit, "cursor": cursor}, options)

    def acknowledge_alert(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Say that somebody is at it. The alert resolves by itself when its cause is gone."""
        operation = Operation("PUT", "/v1/alerts/{id}/acknowledgement")
        return self._call(operation, {"id": id}, None, options)

    def get_organization(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """The organisation of the credential: its plan, its limits, and how much of them is used."""
        operation = Operation("GET", "/v1/organization")
        return self._call(operation, {}, None, options)
