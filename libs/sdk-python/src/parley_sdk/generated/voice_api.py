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
        """Report 1 to 500 conversation events; repeated events are harmless."""
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
        caller: str | None = None,
        language: str | None = None,
        end_reason: Any | None = None,
        tags: Any | None = None,
        flow_id: str | None = None,
        flow_version: int | None = None,
        has_error: bool | None = None,
        error_code: str | None = None,
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
        """List conversations, newest first; filter by their members, by `metadata.<key>=` and by spoken words."""
        operation = Operation("GET", "/v1/conversations", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor, "sort": sort, "order": order, "total": total, "bot_id": bot_id, "status": status, "channel": channel, "direction": direction, "from": from_, "to": to, "caller": caller, "language": language, "end_reason": end_reason, "tags": tags, "flow_id": flow_id, "flow_version": flow_version, "has_error": has_error, "error_code": error_code, "duration_min": duration_min, "duration_max": duration_max, "started_after": started_after, "started_before": started_before, "ended_after": ended_after, "ended_before": ended_before, "updated_after": updated_after, "updated_before": updated_before, "q": q}, options)

    def get_conversation(
        self,
        conversation_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get a conversation."""
        operation = Operation("GET", "/v1/conversations/{conversation_id}")
        return self._call(operation, {"conversation_id": conversation_id}, None, options)

    def update_conversation(
        self,
        conversation_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Update a conversation after the call: metadata, tags, cost, recording, summary, analysis."""
        operation = Operation("PATCH", "/v1/conversations/{conversation_id}")
        return self._call(operation, {"conversation_id": conversation_id}, body, options)

    def delete_conversation(
        self,
        conversation_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Delete a conversation and all its data permanently."""
        operation = Operation("DELETE", "/v1/conversations/{conversation_id}")
        return self._call(operation, {"conversation_id": conversation_id}, None, options)

    def get_recording(
        self,
        conversation_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get a link of 15 minutes to the copy of the recording."""
        operation = Operation("GET", "/v1/conversations/{conversation_id}/recording")
        return self._call(operation, {"conversation_id": conversation_id}, None, options)

    def get_transcript(
        self,
        conversation_id: str,
        *,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """Get the transcript of a conversation as JSON, text/vtt or text/plain, in pages of 1 MiB."""
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
        """List the recorded turns of the flow in order, in pages of 1 MiB."""
        operation = Operation("GET", "/v1/conversations/{conversation_id}/turns", pages="items")
        return self._list(operation, {"conversation_id": conversation_id, "limit": limit, "cursor": cursor}, options)

    def list_flow_turns(
        self,
        *,
        flow_id: str,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List the recorded turns of a flow, newest conversation first, in pages of 1 MiB."""
        operation = Operation("GET", "/v1/flow-turns", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor, "flow_id": flow_id}, options)

    def update_conversations(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Update all conversations that match a filter; dry_run only counts them."""
        operation = Operation("POST", "/v1/conversations/bulk-update")
        return self._call(operation, {}, body, options)

    def delete_conversations(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Delete all conversations that match a filter permanently; dry_run only counts them."""
        operation = Operation("POST", "/v1/conversations/bulk-delete")
        return self._call(operation, {}, body, options)

    def hold_conversation(
        self,
        conversation_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Set a legal hold with its reason: the conversation is neither removed nor deleted."""
        operation = Operation("PUT", "/v1/conversations/{conversation_id}/hold")
        return self._call(operation, {"conversation_id": conversation_id}, body, options)

    def release_conversation(
        self,
        conversation_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Remove the legal hold of a conversation."""
        operation = Operation("DELETE", "/v1/conversations/{conversation_id}/hold")
        return self._call(operation, {"conversation_id": conversation_id}, None, options)

    def list_callers(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List callers, the one of the latest conversation first."""
        operation = Operation("GET", "/v1/callers", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor}, options)

    def get_caller(
        self,
        caller_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get a caller: conversations, first and last, languages, outcomes."""
        operation = Operation("GET", "/v1/callers/{caller_id}")
        return self._call(operation, {"caller_id": caller_id}, None, options)

    def erase_caller(
        self,
        caller_id: str,
        *,
        dry_run: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Erase all conversations of a caller permanently, with a certificate; dry_run only counts them."""
        operation = Operation("DELETE", "/v1/callers/{caller_id}")
        return self._call(operation, {"caller_id": caller_id, "dry_run": dry_run}, None, options)

    def get_retention(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get how long parts of conversations are stored, and why."""
        operation = Operation("GET", "/v1/retention")
        return self._call(operation, {}, None, options)

    def set_retention(
        self,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Set how long parts of conversations are stored; older ones are removed permanently."""
        operation = Operation("PUT", "/v1/retention")
        return self._call(operation, {}, body, options)

    def get_bot_retention(
        self,
        bot_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get how long parts of the conversations of a bot are stored, and why."""
        operation = Operation("GET", "/v1/bots/{bot_id}/retention")
        return self._call(operation, {"bot_id": bot_id}, None, options)

    def set_bot_retention(
        self,
        bot_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Set how long parts of the conversations of a bot are stored; older ones are removed permanently."""
        operation = Operation("PUT", "/v1/bots/{bot_id}/retention")
        return self._call(operation, {"bot_id": bot_id}, body, options)

    def import_vapi_call(
        self,
        *,
        body: Mapping[str, Any] | None = None,
        bot_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Import a report of a call from vapi; repeated reports are harmless."""
        operation = Operation("POST", "/v1/conversations/import/vapi")
        return self._call(operation, {"bot_id": bot_id}, body, options)

    def receive_vapi_call(
        self,
        import_token: str,
        *,
        body: Mapping[str, Any] | None = None,
        bot_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """For vapi itself: like the import, with an import token in the path instead of a key."""
        operation = Operation("POST", "/v1/conversations/import/vapi/{import_token}")
        return self._call(operation, {"import_token": import_token, "bot_id": bot_id}, body, options)

    def import_retell_call(
        self,
        *,
        body: Mapping[str, Any] | None = None,
        bot_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Import a report of a call from retell; repeated reports are harmless."""
        operation = Operation("POST", "/v1/conversations/import/retell")
        return self._call(operation, {"bot_id": bot_id}, body, options)

    def receive_retell_call(
        self,
        import_token: str,
        *,
        body: Mapping[str, Any] | None = None,
        bot_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """For retell itself: like the import, with an import token in the path instead of a key."""
        operation = Operation("POST", "/v1/conversations/import/retell/{import_token}")
        return self._call(operation, {"import_token": import_token, "bot_id": bot_id}, body, options)

    def import_eleven_labs_call(
        self,
        *,
        body: Mapping[str, Any] | None = None,
        bot_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Import a report of a call from elevenlabs; repeated reports are harmless."""
        operation = Operation("POST", "/v1/conversations/import/elevenlabs")
        return self._call(operation, {"bot_id": bot_id}, body, options)

    def receive_eleven_labs_call(
        self,
        import_token: str,
        *,
        body: Mapping[str, Any] | None = None,
        bot_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """For elevenlabs itself: like the import, with an import token in the path instead of a key."""
        operation = Operation("POST", "/v1/conversations/import/elevenlabs/{import_token}")
        return self._call(operation, {"import_token": import_token, "bot_id": bot_id}, body, options)

    def import_live_kit_call(
        self,
        *,
        body: Mapping[str, Any] | None = None,
        bot_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Import a report of a call from livekit; repeated reports are harmless."""
        operation = Operation("POST", "/v1/conversations/import/livekit")
        return self._call(operation, {"bot_id": bot_id}, body, options)

    def receive_live_kit_call(
        self,
        import_token: str,
        *,
        body: Mapping[str, Any] | None = None,
        bot_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """For livekit itself: like the import, with an import token in the path instead of a key."""
        operation = Operation("POST", "/v1/conversations/import/livekit/{import_token}")
        return self._call(operation, {"import_token": import_token, "bot_id": bot_id}, body, options)

    def reimport_conversations(
        self,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Apply stored reports of vendors again, after a mapping was improved."""
        operation = Operation("POST", "/v1/conversations/reimport")
        return self._call(operation, {}, body, options)

    def create_import_token(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Create a token for the reports of a vendor; only this answer contains it."""
        operation = Operation("POST", "/v1/import-tokens", creates=True)
        return self._call(operation, {}, body, options)

    def list_import_tokens(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List the import tokens that are not revoked, newest first."""
        operation = Operation("GET", "/v1/import-tokens", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor}, options)

    def revoke_import_token(
        self,
        import_token_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Revoke an import token immediately."""
        operation = Operation("DELETE", "/v1/import-tokens/{import_token_id}")
        return self._call(operation, {"import_token_id": import_token_id}, None, options)

    def create_export(
        self,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Export conversations or deliveries to a file, which is available for a day."""
        operation = Operation("POST", "/v1/exports", creates=True)
        return self._call(operation, {}, body, options)

    def list_exports(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List exports, newest first."""
        operation = Operation("GET", "/v1/exports", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor}, options)

    def get_export(
        self,
        export_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get the progress of an export."""
        operation = Operation("GET", "/v1/exports/{export_id}")
        return self._call(operation, {"export_id": export_id}, None, options)

    def get_export_part(
        self,
        export_id: str,
        part: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Download a part of the file, about 1 MiB, numbered from 1; `Link` names the next part."""
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
        """List bots, newest first."""
        operation = Operation("GET", "/v1/bots", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor, "status": status, "tag": tag, "q": q}, options)

    def put_bot(
        self,
        bot_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Create or replace a bot by an id of your own; an equal bot stays as it is."""
        operation = Operation("PUT", "/v1/bots/{bot_id}")
        return self._call(operation, {"bot_id": bot_id}, body, options)

    def get_bot(
        self,
        bot_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get a bot."""
        operation = Operation("GET", "/v1/bots/{bot_id}")
        return self._call(operation, {"bot_id": bot_id}, None, options)

    def update_bot(
        self,
        bot_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Update a bot, which creates a new version."""
        operation = Operation("PATCH", "/v1/bots/{bot_id}")
        return self._call(operation, {"bot_id": bot_id}, body, options)

    def delete_bot(
        self,
        bot_id: str,
        *,
        purge: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Archive a bot; purge=true (scope admin) removes it and its conversations permanently."""
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
        """List the versions of a bot, newest first; includes archived bots."""
        operation = Operation("GET", "/v1/bots/{bot_id}/versions", pages="items")
        return self._list(operation, {"bot_id": bot_id, "limit": limit, "cursor": cursor}, options)

    def restore_bot(
        self,
        bot_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Restore an archived bot as paused."""
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
        format: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get usage by hour, day, week or month: conversations, minutes, turns, callers, webhook deliveries, API requests."""
        operation = Operation("GET", "/v1/analytics/usage")
        return self._call(operation, {"from": from_, "to": to, "interval": interval, "timezone": timezone, "bot_id": bot_id, "flow_id": flow_id, "flow_version": flow_version, "group_by": group_by, "format": format}, None, options)

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
        format: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get performance by hour, day, week or month: rates, durations, latencies, webhook outcomes."""
        operation = Operation("GET", "/v1/analytics/performance")
        return self._call(operation, {"from": from_, "to": to, "interval": interval, "timezone": timezone, "bot_id": bot_id, "flow_id": flow_id, "flow_version": flow_version, "group_by": group_by, "format": format}, None, options)

    def get_flow_steps(
        self,
        *,
        flow_id: str,
        version: float,
        format: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Count turns by node and edge of a flow version, and where callers left."""
        operation = Operation("GET", "/v1/analytics/flow-steps")
        return self._call(operation, {"flow_id": flow_id, "version": version, "format": format}, None, options)

    def get_flow_answers(
        self,
        *,
        flow_id: str,
        version: float,
        format: str | None = None,
        days: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """How often each question of a version of a flow understood its callers, and the words it refused."""
        operation = Operation("GET", "/v1/analytics/flow-answers")
        return self._call(operation, {"flow_id": flow_id, "version": version, "format": format, "days": days}, None, options)

    def put_application(
        self,
        application_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Create or rename an application: a customer of yours, who gets a portal."""
        operation = Operation("PUT", "/v1/applications/{application_id}")
        return self._call(operation, {"application_id": application_id}, body, options)

    def get_application(
        self,
        application_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get an application."""
        operation = Operation("GET", "/v1/applications/{application_id}")
        return self._call(operation, {"application_id": application_id}, None, options)

    def delete_application(
        self,
        application_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Delete an application with its webhooks and portal links."""
        operation = Operation("DELETE", "/v1/applications/{application_id}")
        return self._call(operation, {"application_id": application_id}, None, options)

    def list_applications(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List applications by id."""
        operation = Operation("GET", "/v1/applications", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor}, options)

    def create_portal_link(
        self,
        application_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Create a short-lived link to the portal of an application."""
        operation = Operation("POST", "/v1/applications/{application_id}/portal-links", creates=True)
        return self._call(operation, {"application_id": application_id}, body, options)

    def revoke_portal_links(
        self,
        application_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Revoke all portal links of an application."""
        operation = Operation("DELETE", "/v1/applications/{application_id}/portal-links")
        return self._call(operation, {"application_id": application_id}, None, options)

    def get_portal(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get the application of the portal link that calls it, and what the link may do."""
        operation = Operation("GET", "/v1/portal")
        return self._call(operation, {}, None, options)

    def register_webhook(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Register a webhook; only this answer contains its secret."""
        operation = Operation("POST", "/v1/webhooks", creates=True)
        return self._call(operation, {}, body, options)

    def list_webhooks(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        application_id: str | None = None,
        health: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List webhooks, newest first."""
        operation = Operation("GET", "/v1/webhooks", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor, "application_id": application_id, "health": health}, options)

    def list_event_types(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """List the types of webhook events with an example each."""
        operation = Operation("GET", "/v1/event-types")
        return self._call(operation, {}, None, options)

    def get_webhook(
        self,
        webhook_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get a webhook with the health of its deliveries in the last 24 hours."""
        operation = Operation("GET", "/v1/webhooks/{webhook_id}")
        return self._call(operation, {"webhook_id": webhook_id}, None, options)

    def put_webhook(
        self,
        webhook_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Create or replace a webhook by an id of your own; only the answer 201 contains its secret."""
        operation = Operation("PUT", "/v1/webhooks/{webhook_id}")
        return self._call(operation, {"webhook_id": webhook_id}, body, options)

    def change_webhook(
        self,
        webhook_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Update, disable or enable a webhook."""
        operation = Operation("PATCH", "/v1/webhooks/{webhook_id}")
        return self._call(operation, {"webhook_id": webhook_id}, body, options)

    def delete_webhook(
        self,
        webhook_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Delete a webhook."""
        operation = Operation("DELETE", "/v1/webhooks/{webhook_id}")
        return self._call(operation, {"webhook_id": webhook_id}, None, options)

    def rotate_webhook_secret(
        self,
        webhook_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Rotate the secret; the old one also signs until the grace period ends."""
        operation = Operation("POST", "/v1/webhooks/{webhook_id}/rotate-secret", creates=True)
        return self._call(operation, {"webhook_id": webhook_id}, body, options)

    def verify_delivery(
        self,
        webhook_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Check the signatures of a received request and explain why none matches."""
        operation = Operation("POST", "/v1/webhooks/{webhook_id}/verify")
        return self._call(operation, {"webhook_id": webhook_id}, body, options)

    def test_webhook(
        self,
        webhook_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Send a sample event now and return the result."""
        operation = Operation("POST", "/v1/webhooks/{webhook_id}/test")
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
        conversation_id: str | None = None,
        http_status: int | None = None,
        event_id: str | None = None,
        error_class: str | None = None,
        webhook_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List the deliveries of all webhooks, newest first."""
        operation = Operation("GET", "/v1/deliveries", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor, "status": status, "event": event, "since": since, "until": until, "conversation_id": conversation_id, "http_status": http_status, "event_id": event_id, "error_class": error_class, "webhook_id": webhook_id}, options)

    def get_delivery_of_all(
        self,
        delivery_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get a delivery of any webhook with its body and attempts."""
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
        conversation_id: str | None = None,
        http_status: int | None = None,
        event_id: str | None = None,
        error_class: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List the deliveries of a webhook, newest first."""
        operation = Operation("GET", "/v1/webhooks/{webhook_id}/deliveries", pages="items")
        return self._list(operation, {"webhook_id": webhook_id, "limit": limit, "cursor": cursor, "status": status, "event": event, "since": since, "until": until, "conversation_id": conversation_id, "http_status": http_status, "event_id": event_id, "error_class": error_class}, options)

    def get_delivery(
        self,
        webhook_id: str,
        delivery_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get a delivery with its body and attempts."""
        operation = Operation("GET", "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}")
        return self._call(operation, {"webhook_id": webhook_id, "delivery_id": delivery_id}, None, options)

    def retry_delivery(
        self,
        webhook_id: str,
        delivery_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Make the planned attempt now, or redeliver a finished delivery."""
        operation = Operation("POST", "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/retry", creates=True)
        return self._call(operation, {"webhook_id": webhook_id, "delivery_id": delivery_id}, None, options)

    def replay_deliveries(
        self,
        webhook_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Redeliver the events of a period; by default those that did not arrive."""
        operation = Operation("POST", "/v1/webhooks/{webhook_id}/replay", creates=True)
        return self._call(operation, {"webhook_id": webhook_id}, body, options)

    def read_events(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        wait: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Read all webhook events of the last 30 days in order, without gaps."""
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
        """Stream the events of a conversation as server-sent events named by type; also `ready` and `reset`."""
        operation = Operation("GET", "/v1/conversations/{conversation_id}/stream", stream=True)
        return self._stream(operation, {"conversation_id": conversation_id, "ticket": ticket, "last_event_id": last_event_id}, options)

    def make_stream_ticket(
        self,
        conversation_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Create a ticket that opens one stream of the conversation with EventSource."""
        operation = Operation("POST", "/v1/conversations/{conversation_id}/stream-ticket")
        return self._call(operation, {"conversation_id": conversation_id}, body, options)

    def create_api_key(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Issue a product API key; only this answer shows it."""
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

    def put_api_key(
        self,
        id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Create or change a key by an id of your own; only the answer 201 shows the key."""
        operation = Operation("PUT", "/v1/api-keys/{id}")
        return self._call(operation, {"id": id}, body, options)

    def get_api_key(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get a key that is not revoked."""
        operation = Operation("GET", "/v1/api-keys/{id}")
        return self._call(operation, {"id": id}, None, options)

    def delete_api_key(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Revoke a key immediately."""
        operation = Operation("DELETE", "/v1/api-keys/{id}")
        return self._call(operation, {"id": id}, None, options)

    def get_my_api_key(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get the key that this request was made with."""
        operation = Operation("GET", "/v1/api-keys/me")
        return self._call(operation, {}, None, options)

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
        """Who did what, newest first; stored for a year."""
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
        """Acknowledge an alert. It resolves by itself when its cause is gone."""
        operation = Operation("PUT", "/v1/alerts/{id}/acknowledgement")
        return self._call(operation, {"id": id}, None, options)

    def get_organization(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """The organisation of the credential: its plan, its limits, and their use."""
        operation = Operation("GET", "/v1/organization")
        return self._call(operation, {}, None, options)
