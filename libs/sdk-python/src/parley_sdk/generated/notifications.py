"""Made from apps/notifications/openapi.json by `npm run docs`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from .._methods import Methods, Pages
from .._options import CallOptions, Operation
from .._stream import EventStream


class Notifications(Methods):
    def notify(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Send a notification over one or more channels."""
        operation = Operation("POST", "/v1/notify", creates=True)
        return self._call(operation, {}, body, options)

    def list_sends(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: str | None = None,
        channel: str | None = None,
        user_id: str | None = None,
        parent_id: str | None = None,
        engaged: str | None = None,
        since: float | None = None,
        q: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List notifications, newest first, with the status of each channel."""
        operation = Operation("GET", "/v1/notify", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor, "status": status, "channel": channel, "user_id": user_id, "parent_id": parent_id, "engaged": engaged, "since": since, "q": q}, options)

    def notify_many(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Accept or refuse up to 1,000 sends, each on its own."""
        operation = Operation("POST", "/v1/notify/bulk", creates=True)
        return self._call(operation, {}, body, options)

    def list_recurring_sends(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        status: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List recurring sends, newest first."""
        operation = Operation("GET", "/v1/recurring", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor, "status": status}, options)

    def get_notification(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get the status of each channel of a notification."""
        operation = Operation("GET", "/v1/notify/{id}")
        return self._call(operation, {"id": id}, None, options)

    def cancel_notification(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Cancel what is not sent yet."""
        operation = Operation("DELETE", "/v1/notify/{id}")
        return self._call(operation, {"id": id}, None, options)

    def list_delivery_attempts(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """List a notification's delivery attempts."""
        operation = Operation("GET", "/v1/notify/{id}/attempts")
        return self._call(operation, {"id": id}, None, options)

    def put_recipient(
        self,
        user_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Create or replace a recipient: addresses, language, time zone, attributes."""
        operation = Operation("PUT", "/v1/recipients/{user_id}")
        return self._call(operation, {"user_id": user_id}, body, options)

    def get_recipient(
        self,
        user_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get a recipient."""
        operation = Operation("GET", "/v1/recipients/{user_id}")
        return self._call(operation, {"user_id": user_id}, None, options)

    def delete_recipient(
        self,
        user_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Delete a recipient with addresses, preferences and links."""
        operation = Operation("DELETE", "/v1/recipients/{user_id}")
        return self._call(operation, {"user_id": user_id}, None, options)

    def list_recipients(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List recipients by user_id."""
        operation = Operation("GET", "/v1/recipients", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor}, options)

    def link_to_preferences(
        self,
        user_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Create a signed link with which the recipient reads and changes the preferences without signing in."""
        operation = Operation("POST", "/v1/recipients/{user_id}/link")
        return self._call(operation, {"user_id": user_id}, body, options)

    def put_category(
        self,
        category_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Create or replace a category."""
        operation = Operation("PUT", "/v1/categories/{category_id}")
        return self._call(operation, {"category_id": category_id}, body, options)

    def delete_category(
        self,
        category_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Delete a category; later sends that name it are refused."""
        operation = Operation("DELETE", "/v1/categories/{category_id}")
        return self._call(operation, {"category_id": category_id}, None, options)

    def list_categories(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """List categories."""
        operation = Operation("GET", "/v1/categories")
        return self._call(operation, {}, None, options)

    def get_preferences(
        self,
        *,
        user_id: str | None = None,
        link: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get a recipient's preferences by category and channel."""
        operation = Operation("GET", "/v1/preferences")
        return self._call(operation, {"user_id": user_id, "link": link}, None, options)

    def put_preferences(
        self,
        *,
        body: Mapping[str, Any],
        user_id: str | None = None,
        link: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Switch channels of categories on or off."""
        operation = Operation("PUT", "/v1/preferences")
        return self._call(operation, {"user_id": user_id, "link": link}, body, options)

    def show_preferences_page(
        self,
        *,
        link: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """The page behind the preferences link of a mail. Changes nothing."""
        operation = Operation("GET", "/v1/preferences/page")
        return self._call(operation, {"link": link}, None, options)

    def change_preferences_page(
        self,
        *,
        link: str,
        on: bool,
        category: str | None = None,
        channel: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Switch a category, a channel or everything, with a button of the page."""
        operation = Operation("POST", "/v1/preferences/page")
        return self._call(operation, {"link": link, "category": category, "channel": channel, "on": on}, None, options)

    def ask_to_unsubscribe(
        self,
        *,
        link: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """The page behind the unsubscribe link of a mail. Asks, and changes nothing."""
        operation = Operation("GET", "/v1/unsubscribe")
        return self._call(operation, {"link": link}, None, options)

    def unsubscribe(
        self,
        *,
        link: str,
        all: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Unsubscribe with one click (RFC 8058): the form `List-Unsubscribe=One-Click`, no cookie, no redirect."""
        operation = Operation("POST", "/v1/unsubscribe")
        return self._call(operation, {"link": link, "all": all}, None, options)

    def list_suppressions(
        self,
        *,
        email: str | None = None,
        reason: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List addresses that get no mail, newest first."""
        operation = Operation("GET", "/v1/suppressions", pages="items")
        return self._list(operation, {"email": email, "reason": reason, "limit": limit, "cursor": cursor}, options)

    def add_suppressions(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Suppress addresses, such as those of a previous provider."""
        operation = Operation("POST", "/v1/suppressions")
        return self._call(operation, {}, body, options)

    def remove_suppression(
        self,
        suppression_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Remove a suppression: the address gets mail again."""
        operation = Operation("DELETE", "/v1/suppressions/{suppression_id}")
        return self._call(operation, {"suppression_id": suppression_id}, None, options)

    def list_senders(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """List the senders that `from` of a mail may name."""
        operation = Operation("GET", "/v1/senders")
        return self._call(operation, {}, None, options)

    def list_templates(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List templates by id."""
        operation = Operation("GET", "/v1/templates", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor}, options)

    def save_template(
        self,
        template_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Save a new version of a template. Equal content does not create a version."""
        operation = Operation("PUT", "/v1/templates/{template_id}")
        return self._call(operation, {"template_id": template_id}, body, options)

    def get_template(
        self,
        template_id: str,
        *,
        version: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get a version of a template."""
        operation = Operation("GET", "/v1/templates/{template_id}")
        return self._call(operation, {"template_id": template_id, "version": version}, None, options)

    def delete_template(
        self,
        template_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Delete a template with all versions."""
        operation = Operation("DELETE", "/v1/templates/{template_id}")
        return self._call(operation, {"template_id": template_id}, None, options)

    def publish_template(
        self,
        template_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Move the publish pointer of a template."""
        operation = Operation("POST", "/v1/templates/{template_id}/publish")
        return self._call(operation, {"template_id": template_id}, body, options)

    def preview_template(
        self,
        template_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Preview each channel's texts."""
        operation = Operation("POST", "/v1/templates/{template_id}/preview")
        return self._call(operation, {"template_id": template_id}, body, options)

    def preview_template_draft(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Preview each channel's texts with an unsaved template."""
        operation = Operation("POST", "/v1/templates/preview")
        return self._call(operation, {}, body, options)

    def list_workflows(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List workflows by id."""
        operation = Operation("GET", "/v1/workflows", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor}, options)

    def save_workflow(
        self,
        workflow_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Save a new version of a workflow. Equal content does not create a version."""
        operation = Operation("PUT", "/v1/workflows/{workflow_id}")
        return self._call(operation, {"workflow_id": workflow_id}, body, options)

    def get_workflow(
        self,
        workflow_id: str,
        *,
        version: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get a version of a workflow."""
        operation = Operation("GET", "/v1/workflows/{workflow_id}")
        return self._call(operation, {"workflow_id": workflow_id, "version": version}, None, options)

    def delete_workflow(
        self,
        workflow_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Delete a workflow with all versions."""
        operation = Operation("DELETE", "/v1/workflows/{workflow_id}")
        return self._call(operation, {"workflow_id": workflow_id}, None, options)

    def publish_workflow(
        self,
        workflow_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Move the publish pointer of a workflow."""
        operation = Operation("POST", "/v1/workflows/{workflow_id}/publish")
        return self._call(operation, {"workflow_id": workflow_id}, body, options)

    def put_topic_members(
        self,
        topic_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Replace the members of a topic, up to 10,000; creates the topic."""
        operation = Operation("PUT", "/v1/topics/{topic_id}/members")
        return self._call(operation, {"topic_id": topic_id}, body, options)

    def change_topic_members(
        self,
        topic_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Add and remove members of a topic, up to 10,000 each; creates the topic."""
        operation = Operation("POST", "/v1/topics/{topic_id}/members")
        return self._call(operation, {"topic_id": topic_id}, body, options)

    def list_topic_members(
        self,
        topic_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List the members of a topic by user_id."""
        operation = Operation("GET", "/v1/topics/{topic_id}/members", pages="items")
        return self._list(operation, {"topic_id": topic_id, "limit": limit, "cursor": cursor}, options)

    def list_topics(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List topics."""
        operation = Operation("GET", "/v1/topics", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor}, options)

    def get_topic(
        self,
        topic_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get a topic and its number of members."""
        operation = Operation("GET", "/v1/topics/{topic_id}")
        return self._call(operation, {"topic_id": topic_id}, None, options)

    def delete_topic(
        self,
        topic_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Delete a topic and stop its running sends."""
        operation = Operation("DELETE", "/v1/topics/{topic_id}")
        return self._call(operation, {"topic_id": topic_id}, None, options)

    def list_notifications(
        self,
        *,
        user_id: str | None = None,
        status: str | None = None,
        state: str | None = None,
        category: str | None = None,
        created_after: float | None = None,
        created_before: float | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List a user's inbox, newest first, with its counts."""
        operation = Operation("GET", "/v1/notifications", pages="items")
        return self._list(operation, {"user_id": user_id, "status": status, "state": state, "category": category, "created_after": created_after, "created_before": created_before, "limit": limit, "cursor": cursor}, options)

    def delete_all_notifications(
        self,
        *,
        all: str,
        user_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Delete all notifications of an inbox, archived and snoozed ones included."""
        operation = Operation("DELETE", "/v1/notifications")
        return self._call(operation, {"user_id": user_id, "all": all}, None, options)

    def count_notifications(
        self,
        *,
        user_id: str | None = None,
        category: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Count unread and unseen items of an inbox or of one category."""
        operation = Operation("GET", "/v1/notifications/count")
        return self._call(operation, {"user_id": user_id, "category": category}, None, options)

    def read_notification(
        self,
        id: str,
        *,
        body: Mapping[str, Any] | None = None,
        user_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Mark a notification read; of one for every user, for this user."""
        operation = Operation("PUT", "/v1/notifications/{id}/read")
        return self._call(operation, {"id": id, "user_id": user_id}, body, options)

    def unread_notification(
        self,
        id: str,
        *,
        body: Mapping[str, Any] | None = None,
        user_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Mark a notification unread; of one for every user, for this user."""
        operation = Operation("PUT", "/v1/notifications/{id}/unread")
        return self._call(operation, {"id": id, "user_id": user_id}, body, options)

    def archive_notification(
        self,
        id: str,
        *,
        body: Mapping[str, Any] | None = None,
        user_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Archive a notification; of one for every user, for this user."""
        operation = Operation("PUT", "/v1/notifications/{id}/archive")
        return self._call(operation, {"id": id, "user_id": user_id}, body, options)

    def unarchive_notification(
        self,
        id: str,
        *,
        body: Mapping[str, Any] | None = None,
        user_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Move an archived notification back to the inbox; of one for every user, for this user."""
        operation = Operation("PUT", "/v1/notifications/{id}/unarchive")
        return self._call(operation, {"id": id, "user_id": user_id}, body, options)

    def snooze_notification(
        self,
        id: str,
        *,
        body: Mapping[str, Any],
        user_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Snooze a notification until a time; of one for every user, for this user."""
        operation = Operation("PUT", "/v1/notifications/{id}/snooze")
        return self._call(operation, {"id": id, "user_id": user_id}, body, options)

    def delete_notification(
        self,
        id: str,
        *,
        user_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Delete a notification; of one for every user, from the inbox of this user."""
        operation = Operation("DELETE", "/v1/notifications/{id}")
        return self._call(operation, {"id": id, "user_id": user_id}, None, options)

    def read_all_notifications(
        self,
        *,
        body: Mapping[str, Any] | None = None,
        user_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Mark all notifications of an inbox read."""
        operation = Operation("POST", "/v1/notifications/read-all")
        return self._call(operation, {"user_id": user_id}, body, options)

    def see_notifications(
        self,
        *,
        body: Mapping[str, Any] | None = None,
        user_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Mark notifications seen: the named ones, or all."""
        operation = Operation("POST", "/v1/notifications/seen")
        return self._call(operation, {"user_id": user_id}, body, options)

    def stream_notifications(
        self,
        *,
        user_id: str | None = None,
        ticket: str | None = None,
        last_event_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> EventStream:
        """Stream the inbox as server-sent events: created, read, archived and so on, unread_count, reset."""
        operation = Operation("GET", "/v1/notifications/stream", stream=True)
        return self._stream(operation, {"user_id": user_id, "ticket": ticket, "last_event_id": last_event_id}, options)

    def make_stream_ticket(
        self,
        *,
        body: Mapping[str, Any] | None = None,
        user_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Create a ticket that opens one stream with EventSource."""
        operation = Operation("POST", "/v1/notifications/stream-ticket")
        return self._call(operation, {"user_id": user_id}, body, options)

    def take_send_grid_events(
        self,
        organization_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """SendGrid’s signed event webhook; updates the status of e-mail deliveries and suppresses addresses."""
        operation = Operation("POST", "/v1/providers/sendgrid/events/{organization_id}")
        return self._call(operation, {"organization_id": organization_id}, body, options)

    def take_ses_events(
        self,
        organization_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Events of Amazon SES by Amazon SNS; updates the status of e-mail deliveries and suppresses addresses."""
        operation = Operation("POST", "/v1/providers/ses/events/{organization_id}")
        return self._call(operation, {"organization_id": organization_id}, body, options)

    def take_mailgun_events(
        self,
        organization_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Mailgun’s webhooks; updates the status of e-mail deliveries and suppresses addresses."""
        operation = Operation("POST", "/v1/providers/mailgun/events/{organization_id}")
        return self._call(operation, {"organization_id": organization_id}, body, options)

    def take_postmark_events(
        self,
        organization_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Postmark’s webhooks; updates the status of e-mail deliveries and suppresses addresses."""
        operation = Operation("POST", "/v1/providers/postmark/events/{organization_id}")
        return self._call(operation, {"organization_id": organization_id}, body, options)

    def take_resend_events(
        self,
        organization_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Resend’s webhooks; updates the status of e-mail deliveries and suppresses addresses."""
        operation = Operation("POST", "/v1/providers/resend/events/{organization_id}")
        return self._call(operation, {"organization_id": organization_id}, body, options)

    def get_vapid_public_key(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get the public key that browsers subscribe with."""
        operation = Operation("GET", "/v1/push/vapid-public-key")
        return self._call(operation, {}, None, options)

    def register_push_subscription(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Register or update a subscription."""
        operation = Operation("POST", "/v1/push/registrations", creates=True)
        return self._call(operation, {}, body, options)

    def list_push_subscriptions(
        self,
        *,
        user_id: str | None = None,
        site_id: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List subscriptions, newest first, without their keys."""
        operation = Operation("GET", "/v1/push/registrations", pages="items")
        return self._list(operation, {"user_id": user_id, "site_id": site_id, "limit": limit, "cursor": cursor}, options)

    def remove_push_subscription(
        self,
        sub_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Remove a subscription."""
        operation = Operation("DELETE", "/v1/push/registrations/{sub_id}")
        return self._call(operation, {"sub_id": sub_id}, None, options)

    def read_pushed_notification(
        self,
        *,
        receipt: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Mark the inbox item of an opened push as read. Called by a service worker with the receipt from the push."""
        operation = Operation("POST", "/v1/push/read")
        return self._call(operation, {"receipt": receipt}, None, options)

    def list_push_history(
        self,
        *,
        user_id: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List a user's push history, newest first."""
        operation = Operation("GET", "/v1/push/history", pages="items")
        return self._list(operation, {"user_id": user_id, "limit": limit, "cursor": cursor}, options)

    def track_open(
        self,
        *,
        token: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """The picture of a tracked mail; records an open. HEAD records nothing."""
        operation = Operation("GET", "/v1/track/open")
        return self._call(operation, {"token": token}, None, options)

    def track_click(
        self,
        *,
        token: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """A tracked link of a mail; records a click and redirects. HEAD records nothing, a prefetch gets no redirect."""
        operation = Operation("GET", "/v1/track/click")
        return self._call(operation, {"token": token}, None, options)

    def take_push_beacon(
        self,
        *,
        token: str,
        event: str,
        device: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Report that a tracked push was clicked or dismissed. Called by a service worker with the address from the push."""
        operation = Operation("POST", "/v1/push/beacon")
        return self._call(operation, {"token": token, "event": event, "device": device}, None, options)

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
        """Issue a successor with the same name, scopes and addresses; the old key stays valid for the grace time."""
        operation = Operation("POST", "/v1/api-keys/{id}/rotate", creates=True)
        return self._call(operation, {"id": id}, body, options)

    def list_audit_log(
        self,
        *,
        action: str | None = None,
        actor: str | None = None,
        from_: float | None = None,
        to: float | None = None,
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

    def send_notification_on_product_face(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Send a notification over one or more channels."""
        operation = Operation("POST", "/product/v1/notifications/send", creates=True)
        return self._call(operation, {}, body, options)
