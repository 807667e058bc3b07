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
        """What was accepted, newest first, and how far each channel got."""
        operation = Operation("GET", "/v1/notify", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor, "status": status, "channel": channel, "user_id": user_id, "parent_id": parent_id, "engaged": engaged, "since": since, "q": q}, options)

    def notify_many(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Up to 1,000 sends, each accepted or refused for itself."""
        operation = Operation("POST", "/v1/notify/bulk", creates=True)
        return self._call(operation, {}, body, options)

    def get_notification(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """How far each channel of a notification got."""
        operation = Operation("GET", "/v1/notify/{id}")
        return self._call(operation, {"id": id}, None, options)

    def cancel_notification(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Cancel what has not been sent."""
        operation = Operation("DELETE", "/v1/notify/{id}")
        return self._call(operation, {"id": id}, None, options)

    def list_delivery_attempts(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """The log of attempts of a notification."""
        operation = Operation("GET", "/v1/notify/{id}/attempts")
        return self._call(operation, {"id": id}, None, options)

    def put_recipient(
        self,
        user_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Put down a recipient, or change one: where they are reached, language, time zone, attributes."""
        operation = Operation("PUT", "/v1/recipients/{user_id}")
        return self._call(operation, {"user_id": user_id}, body, options)

    def get_recipient(
        self,
        user_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """A recipient."""
        operation = Operation("GET", "/v1/recipients/{user_id}")
        return self._call(operation, {"user_id": user_id}, None, options)

    def delete_recipient(
        self,
        user_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Forget a recipient: addresses, preferences, links."""
        operation = Operation("DELETE", "/v1/recipients/{user_id}")
        return self._call(operation, {"user_id": user_id}, None, options)

    def list_recipients(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """The recipients, by user_id."""
        operation = Operation("GET", "/v1/recipients", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor}, options)

    def link_to_preferences(
        self,
        user_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """A signed link with which the recipient reads and changes the preferences without signing in."""
        operation = Operation("POST", "/v1/recipients/{user_id}/link")
        return self._call(operation, {"user_id": user_id}, body, options)

    def put_category(
        self,
        category_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Make a category of notifications, or change one."""
        operation = Operation("PUT", "/v1/categories/{category_id}")
        return self._call(operation, {"category_id": category_id}, body, options)

    def delete_category(
        self,
        category_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Delete a category: sends that name it are refused from then on."""
        operation = Operation("DELETE", "/v1/categories/{category_id}")
        return self._call(operation, {"category_id": category_id}, None, options)

    def list_categories(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """The categories of the organisation."""
        operation = Operation("GET", "/v1/categories")
        return self._call(operation, {}, None, options)

    def get_preferences(
        self,
        *,
        user_id: str | None = None,
        link: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Of which categories a recipient hears, and over which channels."""
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
        """Switch channels of categories off or on."""
        operation = Operation("PUT", "/v1/preferences")
        return self._call(operation, {"user_id": user_id, "link": link}, body, options)

    def ask_to_unsubscribe(
        self,
        *,
        link: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """The page behind the link of a mail: asks, and changes nothing."""
        operation = Operation("GET", "/v1/unsubscribe")
        return self._call(operation, {"link": link}, None, options)

    def unsubscribe(
        self,
        *,
        link: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Unsubscribe with one click (RFC 8058): the form `List-Unsubscribe=One-Click`, no cookie, no redirect."""
        operation = Operation("POST", "/v1/unsubscribe")
        return self._call(operation, {"link": link}, None, options)

    def list_templates(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """The templates, by id."""
        operation = Operation("GET", "/v1/templates", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor}, options)

    def save_template(
        self,
        template_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """A new version of a template; the same content again is the same version."""
        operation = Operation("PUT", "/v1/templates/{template_id}")
        return self._call(operation, {"template_id": template_id}, body, options)

    def get_template(
        self,
        template_id: str,
        *,
        version: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """A version of a template."""
        operation = Operation("GET", "/v1/templates/{template_id}")
        return self._call(operation, {"template_id": template_id, "version": version}, None, options)

    def delete_template(
        self,
        template_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Delete a template with all of its versions."""
        operation = Operation("DELETE", "/v1/templates/{template_id}")
        return self._call(operation, {"template_id": template_id}, None, options)

    def publish_template(
        self,
        template_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Move the publish pointer."""
        operation = Operation("POST", "/v1/templates/{template_id}/publish")
        return self._call(operation, {"template_id": template_id}, body, options)

    def preview_template(
        self,
        template_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """What each channel would be given to send."""
        operation = Operation("POST", "/v1/templates/{template_id}/preview")
        return self._call(operation, {"template_id": template_id}, body, options)

    def preview_template_draft(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """What each channel would be given to send by a template that is not saved."""
        operation = Operation("POST", "/v1/templates/preview")
        return self._call(operation, {}, body, options)

    def put_topic_members(
        self,
        topic_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Say who the members of a topic are, up to 10,000; makes the topic."""
        operation = Operation("PUT", "/v1/topics/{topic_id}/members")
        return self._call(operation, {"topic_id": topic_id}, body, options)

    def change_topic_members(
        self,
        topic_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Add members and remove some, up to 10,000 each; makes the topic."""
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
        """The members of a topic, by user_id."""
        operation = Operation("GET", "/v1/topics/{topic_id}/members", pages="items")
        return self._list(operation, {"topic_id": topic_id, "limit": limit, "cursor": cursor}, options)

    def list_topics(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """The topics of the organisation."""
        operation = Operation("GET", "/v1/topics", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor}, options)

    def get_topic(
        self,
        topic_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """A topic, and how many members it has."""
        operation = Operation("GET", "/v1/topics/{topic_id}")
        return self._call(operation, {"topic_id": topic_id}, None, options)

    def delete_topic(
        self,
        topic_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Delete a topic; what is being sent to it ends where it is."""
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
        """The inbox of a user, newest first, with its counts."""
        operation = Operation("GET", "/v1/notifications", pages="items")
        return self._list(operation, {"user_id": user_id, "status": status, "state": state, "category": category, "created_after": created_after, "created_before": created_before, "limit": limit, "cursor": cursor}, options)

    def delete_all_notifications(
        self,
        *,
        all: str,
        user_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Delete everything of an inbox, archived and snoozed too."""
        operation = Operation("DELETE", "/v1/notifications")
        return self._call(operation, {"user_id": user_id, "all": all}, None, options)

    def count_notifications(
        self,
        *,
        user_id: str | None = None,
        category: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """The counts of an inbox, or of a category of it, without its items."""
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
        """Take a notification out of the inbox and keep it; of one for every user, for this user."""
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
        """Put an archived notification back; of one for every user, for this user."""
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
        """Take a notification out of the inbox until a time; of one for every user, for this user."""
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
        """Mark everything in the inbox read."""
        operation = Operation("POST", "/v1/notifications/read-all")
        return self._call(operation, {"user_id": user_id}, body, options)

    def see_notifications(
        self,
        *,
        body: Mapping[str, Any] | None = None,
        user_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Mark notifications seen: those named, or all."""
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
        """The inbox as server-sent events: created, read, archived and so on, unread_count, reset."""
        operation = Operation("GET", "/v1/notifications/stream", stream=True)
        return self._stream(operation, {"user_id": user_id, "ticket": ticket, "last_event_id": last_event_id}, options)

    def make_stream_ticket(
        self,
        *,
        body: Mapping[str, Any] | None = None,
        user_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """A ticket that opens one stream, for EventSource."""
        operation = Operation("POST", "/v1/notifications/stream-ticket")
        return self._call(operation, {"user_id": user_id}, body, options)

    def take_send_grid_events(
        self,
        organization_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """SendGrid’s signed event webhook: moves the status of e-mail deliveries."""
        operation = Operation("POST", "/v1/providers/sendgrid/events/{organization_id}")
        return self._call(operation, {"organization_id": organization_id}, body, options)

    def get_vapid_public_key(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """The key that browsers subscribe with."""
        operation = Operation("GET", "/v1/push/vapid-public-key")
        return self._call(operation, {}, None, options)

    def register_push_subscription(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Register a subscription, or bring a known one up to date."""
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
        """The subscriptions, newest first; never their keys."""
        operation = Operation("GET", "/v1/push/registrations", pages="items")
        return self._list(operation, {"user_id": user_id, "site_id": site_id, "limit": limit, "cursor": cursor}, options)

    def remove_push_subscription(
        self,
        sub_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Forget a subscription."""
        operation = Operation("DELETE", "/v1/push/registrations/{sub_id}")
        return self._call(operation, {"sub_id": sub_id}, None, options)

    def read_pushed_notification(
        self,
        *,
        receipt: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """A push was opened: its item of the inbox is read. Of a service worker, with what the push brought along."""
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
        """What was pushed to a user, newest first."""
        operation = Operation("GET", "/v1/push/history", pages="items")
        return self._list(operation, {"user_id": user_id, "limit": limit, "cursor": cursor}, options)

    def track_open(
        self,
        *,
        token: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """The picture of a mail that is tracked: it was opened. HEAD counts nothing."""
        operation = Operation("GET", "/v1/track/open")
        return self._call(operation, {"token": token}, None, options)

    def track_click(
        self,
        *,
        token: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """A link of a mail that is tracked: it was clicked, and leads on. HEAD counts nothing, a prefetch is given nothing."""
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
        """A push that is tracked was clicked or dismissed. Of a service worker, with the address that the push brought along."""
        operation = Operation("POST", "/v1/push/beacon")
        return self._call(operation, {"token": token, "event": event, "device": device}, None, options)

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

    def send_notification_on_product_face(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Send a notification over one or more channels."""
        operation = Operation("POST", "/product/v1/notifications/send", creates=True)
        return self._call(operation, {}, body, options)
