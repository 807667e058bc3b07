-- The tables of release 0.2.0. Later migrations add to them (docs/platform.md#releases).

CREATE TABLE "alerts" (
  "id" TEXT NOT NULL,
  "organization_id" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "subject" TEXT NOT NULL,
  "message" TEXT NOT NULL,
  "opened_at" TIMESTAMPTZ(3) NOT NULL,
  "last_raised_at" TIMESTAMPTZ(3) NOT NULL,
  "acknowledged_at" TIMESTAMPTZ(3),
  "acknowledged_by" TEXT,
  "resolved_at" TIMESTAMPTZ(3),
  "notified_at" TIMESTAMPTZ(3),
  CONSTRAINT "alerts_pkey" PRIMARY KEY ("id")
);
-- One alert of a cause is open. Prisma has no partial indexes.
CREATE UNIQUE INDEX "alerts_cause_key" ON "alerts" ("organization_id", "kind", "subject") WHERE "resolved_at" IS NULL;
CREATE INDEX "alerts_organization_id_opened_at_id_idx" ON "alerts" ("organization_id", "opened_at", "id");
CREATE INDEX "alerts_resolved_at_idx" ON "alerts" ("resolved_at");

CREATE TABLE "api_keys" (
  "id" TEXT NOT NULL,
  "organization_id" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "display" TEXT NOT NULL,
  "hash" BYTEA NOT NULL,
  "scopes" TEXT[],
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "created_by" TEXT NOT NULL,
  "expires_at" TIMESTAMPTZ(3),
  "revoked_at" TIMESTAMPTZ(3),
  "last_used_at" TIMESTAMPTZ(3),
  "rotated_to" TEXT,
  "allowed_ips" TEXT[] DEFAULT ARRAY[]::TEXT[],
  "bot_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
  CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "api_keys_hash_key" ON "api_keys" ("hash");
CREATE INDEX "api_keys_organization_id_id_idx" ON "api_keys" ("organization_id", "id");

CREATE TABLE "audit_log" (
  "id" TEXT NOT NULL,
  "organization_id" TEXT NOT NULL,
  "action" TEXT NOT NULL,
  "actor_kind" TEXT NOT NULL,
  "actor" TEXT NOT NULL,
  "target" TEXT NOT NULL,
  "details" JSONB NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "audit_log_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "audit_log_at_idx" ON "audit_log" ("at");
CREATE INDEX "audit_log_organization_id_id_idx" ON "audit_log" ("organization_id", "id");

CREATE TABLE "categories" (
  "organization_id" TEXT NOT NULL,
  "id" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "description" TEXT,
  "required" BOOLEAN NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "categories_pkey" PRIMARY KEY ("organization_id", "id")
);

CREATE TABLE "deliveries" (
  "id" TEXT NOT NULL,
  "notification_id" TEXT NOT NULL,
  "organization_id" TEXT NOT NULL,
  "channel" TEXT NOT NULL,
  "status" TEXT NOT NULL,
  "plan" TEXT NOT NULL,
  "sealed" TEXT,
  "attempts" INTEGER NOT NULL DEFAULT 0,
  "next_attempt_at" TIMESTAMPTZ(3),
  "leased_until" TIMESTAMPTZ(3),
  "rings" INTEGER NOT NULL DEFAULT 0,
  "next_ring_at" TIMESTAMPTZ(3),
  "last_error_class" TEXT,
  "last_error" TEXT,
  "sent_at" TIMESTAMPTZ(3),
  "counts" TEXT,
  "lease" TEXT,
  "own_failures" INTEGER NOT NULL DEFAULT 0,
  "deaths" SMALLINT NOT NULL DEFAULT 0,
  "quarantined_at" TIMESTAMPTZ(3),
  "last_http_status" INTEGER,
  "shared_bytes" INTEGER,
  CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "deliveries_next_ring_at_idx" ON "deliveries" ("next_ring_at");
CREATE UNIQUE INDEX "deliveries_notification_id_channel_key" ON "deliveries" ("notification_id", "channel");

CREATE TABLE "delivery_attempts" (
  "delivery_id" TEXT NOT NULL,
  "attempt" INTEGER NOT NULL,
  "organization_id" TEXT NOT NULL,
  "started_at" TIMESTAMPTZ(3) NOT NULL,
  "ms" INTEGER NOT NULL,
  "outcome" TEXT NOT NULL,
  "http_status" INTEGER,
  "error_class" TEXT,
  "error" TEXT,
  CONSTRAINT "delivery_attempts_pkey" PRIMARY KEY ("delivery_id", "attempt")
);

CREATE TABLE "digest_items" (
  "notification_id" TEXT NOT NULL,
  "position" INTEGER NOT NULL,
  "data" TEXT NOT NULL,
  CONSTRAINT "digest_items_pkey" PRIMARY KEY ("notification_id", "position")
);

CREATE TABLE "digests" (
  "notification_id" TEXT NOT NULL,
  "organization_id" TEXT NOT NULL,
  "fingerprint" BYTEA,
  "closes_at" TIMESTAMPTZ(3) NOT NULL,
  "count" INTEGER NOT NULL,
  "bytes" INTEGER NOT NULL,
  CONSTRAINT "digests_pkey" PRIMARY KEY ("notification_id")
);
CREATE UNIQUE INDEX "digests_organization_id_fingerprint_key" ON "digests" ("organization_id", "fingerprint");

CREATE TABLE "email_events" (
  "organization_id" TEXT NOT NULL,
  "event_id" TEXT NOT NULL,
  "notification_id" TEXT NOT NULL,
  "event" TEXT NOT NULL,
  "occurred_at" TIMESTAMPTZ(3) NOT NULL,
  "received_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "email_events_pkey" PRIMARY KEY ("organization_id", "event_id")
);
CREATE INDEX "email_events_received_at_idx" ON "email_events" ("received_at");

CREATE TABLE "engaged_readers" (
  "notification_id" TEXT NOT NULL,
  "channel" TEXT NOT NULL,
  "event" TEXT NOT NULL,
  "reader" BYTEA NOT NULL,
  CONSTRAINT "engaged_readers_pkey" PRIMARY KEY ("notification_id", "channel", "event", "reader")
);

CREATE TABLE "engagements" (
  "notification_id" TEXT NOT NULL,
  "channel" TEXT NOT NULL,
  "event" TEXT NOT NULL,
  "organization_id" TEXT NOT NULL,
  "first_at" TIMESTAMPTZ(3) NOT NULL,
  "count" INTEGER NOT NULL,
  CONSTRAINT "engagements_pkey" PRIMARY KEY ("notification_id", "channel", "event")
);

CREATE TABLE "idempotency_keys" (
  "organization_id" TEXT NOT NULL,
  "route" TEXT NOT NULL,
  "key" TEXT NOT NULL,
  "body_hash" BYTEA NOT NULL,
  "status" INTEGER NOT NULL,
  "reply" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("organization_id", "route", "key")
);
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys" ("expires_at");

CREATE TABLE "in_app_changes" (
  "id" BIGSERIAL NOT NULL,
  "organization_id" TEXT NOT NULL,
  "user_id" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "item_id" TEXT,
  "notification_id" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "written_by" BIGINT NOT NULL,
  "snoozed_until" TIMESTAMPTZ(3),
  CONSTRAINT "in_app_changes_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "in_app_changes_organization_id_written_by_idx" ON "in_app_changes" ("organization_id", "written_by");

CREATE TABLE "in_app_items" (
  "id" TEXT NOT NULL,
  "organization_id" TEXT NOT NULL,
  "user_id" TEXT,
  "notification_id" TEXT NOT NULL,
  "title" TEXT NOT NULL,
  "body" TEXT NOT NULL,
  "url" TEXT,
  "data" JSONB,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "expires_at" TIMESTAMPTZ(3),
  "seen_at" TIMESTAMPTZ(3),
  "read_at" TIMESTAMPTZ(3),
  "written_by" BIGINT NOT NULL,
  "actions" JSONB,
  "archived_at" TIMESTAMPTZ(3),
  "category" TEXT,
  "icon" TEXT,
  "snoozed_until" TIMESTAMPTZ(3),
  "content_id" TEXT,
  CONSTRAINT "in_app_items_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "in_app_items_expires_at_idx" ON "in_app_items" ("expires_at");
CREATE INDEX "in_app_items_organization_id_user_id_created_at_id_idx" ON "in_app_items" ("organization_id", "user_id", "created_at", "id");
CREATE INDEX "in_app_items_organization_id_user_id_read_at_expires_at_see_idx" ON "in_app_items" ("organization_id", "user_id", "read_at", "expires_at", "seen_at", "id");
CREATE INDEX "in_app_items_organization_id_written_by_idx" ON "in_app_items" ("organization_id", "written_by");
CREATE INDEX "in_app_items_snoozed_until_idx" ON "in_app_items" ("snoozed_until");

CREATE TABLE "in_app_receipts" (
  "organization_id" TEXT NOT NULL,
  "user_id" TEXT NOT NULL,
  "item_id" TEXT NOT NULL,
  "seen_at" TIMESTAMPTZ(3),
  "read_at" TIMESTAMPTZ(3),
  "deleted_at" TIMESTAMPTZ(3),
  "archived_at" TIMESTAMPTZ(3),
  "snoozed_until" TIMESTAMPTZ(3),
  CONSTRAINT "in_app_receipts_pkey" PRIMARY KEY ("organization_id", "user_id", "item_id")
);
CREATE INDEX "in_app_receipts_item_id_idx" ON "in_app_receipts" ("item_id");
CREATE INDEX "in_app_receipts_snoozed_until_idx" ON "in_app_receipts" ("snoozed_until");

CREATE TABLE "inbox" (
  "message_id" TEXT NOT NULL,
  "contract" TEXT NOT NULL,
  "producer" TEXT NOT NULL,
  "received_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "inbox_pkey" PRIMARY KEY ("message_id")
);
CREATE INDEX "inbox_received_at_idx" ON "inbox" ("received_at");

CREATE TABLE "inbox_suspects" (
  "organization_id" TEXT NOT NULL,
  "id" TEXT NOT NULL,
  "contract" TEXT NOT NULL,
  "data" TEXT NOT NULL,
  "deaths" SMALLINT NOT NULL DEFAULT 0,
  "next_ring_at" TIMESTAMPTZ(3) NOT NULL,
  "quarantined_at" TIMESTAMPTZ(3),
  CONSTRAINT "inbox_suspects_pkey" PRIMARY KEY ("organization_id", "id")
);
CREATE INDEX "inbox_suspects_next_ring_at_idx" ON "inbox_suspects" ("next_ring_at");

CREATE TABLE "notification_callbacks" (
  "id" TEXT NOT NULL,
  "organization_id" TEXT NOT NULL,
  "sealed" TEXT NOT NULL,
  "look_at" TIMESTAMPTZ(3),
  "settled_told_at" TIMESTAMPTZ(3),
  "tracked" BOOLEAN NOT NULL DEFAULT false,
  CONSTRAINT "notification_callbacks_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "notification_callbacks_look_at_idx" ON "notification_callbacks" ("look_at");

CREATE TABLE "notifications" (
  "id" TEXT NOT NULL,
  "organization_id" TEXT NOT NULL,
  "subject" TEXT NOT NULL,
  "subject_given" BOOLEAN NOT NULL,
  "message" TEXT NOT NULL,
  "rejected" TEXT,
  "source" TEXT NOT NULL,
  "created_by" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "send_at" TIMESTAMPTZ(3),
  "expires_at" TIMESTAMPTZ(3),
  "canceled_at" TIMESTAMPTZ(3),
  "request_id" TEXT,
  "traceparent" TEXT,
  "category" TEXT,
  "parent_id" TEXT,
  "content_id" TEXT,
  CONSTRAINT "notifications_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "notifications_organization_id_created_at_id_idx" ON "notifications" ("organization_id", "created_at", "id");
CREATE INDEX "notifications_organization_id_parent_id_created_at_id_idx" ON "notifications" ("organization_id", "parent_id", "created_at", "id");

CREATE TABLE "organization_settings" (
  "organization_id" TEXT NOT NULL,
  "key" TEXT NOT NULL,
  "reference" TEXT,
  "value" TEXT,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "organization_settings_pkey" PRIMARY KEY ("organization_id", "key")
);

CREATE TABLE "organizations" (
  "id" TEXT NOT NULL,
  "name" TEXT,
  "plan" TEXT NOT NULL,
  "requests_per_minute" INTEGER,
  "concurrent_connections" INTEGER,
  "alert_email" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  "notify_per_minute" INTEGER,
  "storage_bytes" BIGINT,
  CONSTRAINT "organizations_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "outbox" (
  "id" TEXT NOT NULL,
  "organization_id" TEXT NOT NULL,
  "contract" TEXT NOT NULL,
  "payload" TEXT NOT NULL,
  "request_id" TEXT,
  "traceparent" TEXT,
  "rings" INTEGER NOT NULL DEFAULT 0,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "next_ring_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "outbox_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "outbox_next_ring_at_idx" ON "outbox" ("next_ring_at");

CREATE TABLE "push_chunks" (
  "id" TEXT NOT NULL,
  "delivery_id" TEXT NOT NULL,
  "organization_id" TEXT NOT NULL,
  "done_id" TEXT NOT NULL,
  "until_id" TEXT,
  "claim" TEXT,
  "leased_until" TIMESTAMPTZ(3),
  "rings" INTEGER NOT NULL DEFAULT 0,
  "next_ring_at" TIMESTAMPTZ(3) NOT NULL,
  "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "deaths" SMALLINT NOT NULL DEFAULT 0,
  "quarantined_at" TIMESTAMPTZ(3),
  CONSTRAINT "push_chunks_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "push_chunks_delivery_id_idx" ON "push_chunks" ("delivery_id");
CREATE INDEX "push_chunks_next_ring_at_idx" ON "push_chunks" ("next_ring_at");

CREATE TABLE "push_fanouts" (
  "delivery_id" TEXT NOT NULL,
  "organization_id" TEXT NOT NULL,
  "notification_id" TEXT NOT NULL,
  "user_id" TEXT,
  "site_id" TEXT,
  "payload" TEXT NOT NULL,
  "urgency" TEXT NOT NULL,
  "topic" TEXT,
  "ttl_seconds" INTEGER NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "targeted" INTEGER NOT NULL DEFAULT 0,
  "sent" INTEGER NOT NULL DEFAULT 0,
  "gone" INTEGER NOT NULL DEFAULT 0,
  "failed" INTEGER NOT NULL DEFAULT 0,
  "expired" INTEGER NOT NULL DEFAULT 0,
  "chunks_open" INTEGER NOT NULL,
  "settled_at" TIMESTAMPTZ(3),
  "cause" TEXT,
  "untried" INTEGER NOT NULL DEFAULT 0,
  "content_id" TEXT,
  CONSTRAINT "push_fanouts_pkey" PRIMARY KEY ("delivery_id")
);
CREATE INDEX "push_fanouts_settled_at_created_at_idx" ON "push_fanouts" ("settled_at", "created_at");

CREATE TABLE "push_history" (
  "organization_id" TEXT NOT NULL,
  "user_id" TEXT NOT NULL,
  "notification_id" TEXT NOT NULL,
  "delivery_id" TEXT NOT NULL,
  "status" TEXT NOT NULL,
  "delivered_count" INTEGER NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "push_history_pkey" PRIMARY KEY ("organization_id", "user_id", "notification_id")
);
CREATE INDEX "push_history_delivery_id_idx" ON "push_history" ("delivery_id");

CREATE TABLE "push_retries" (
  "delivery_id" TEXT NOT NULL,
  "subscription_id" TEXT NOT NULL,
  "organization_id" TEXT NOT NULL,
  "attempts" INTEGER NOT NULL,
  "next_attempt_at" TIMESTAMPTZ(3) NOT NULL,
  "last_error_class" TEXT NOT NULL,
  "deaths" SMALLINT NOT NULL DEFAULT 0,
  "leased_until" TIMESTAMPTZ(3),
  "quarantined_at" TIMESTAMPTZ(3),
  CONSTRAINT "push_retries_pkey" PRIMARY KEY ("delivery_id", "subscription_id")
);
CREATE INDEX "push_retries_next_attempt_at_idx" ON "push_retries" ("next_attempt_at");

CREATE TABLE "push_subscriptions" (
  "id" TEXT NOT NULL,
  "organization_id" TEXT NOT NULL,
  "endpoint_hash" BYTEA NOT NULL,
  "endpoint_host" TEXT NOT NULL,
  "sealed" TEXT NOT NULL,
  "user_id" TEXT,
  "site_id" TEXT,
  "platform" TEXT NOT NULL,
  "key_id" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  "last_used_at" TIMESTAMPTZ(3),
  "key_mismatch_at" TIMESTAMPTZ(3),
  "gone_at" TIMESTAMPTZ(3),
  CONSTRAINT "push_subscriptions_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "push_subscriptions_gone_at_idx" ON "push_subscriptions" ("gone_at");
CREATE UNIQUE INDEX "push_subscriptions_organization_id_endpoint_hash_key" ON "push_subscriptions" ("organization_id", "endpoint_hash");
CREATE INDEX "push_subscriptions_organization_id_id_idx" ON "push_subscriptions" ("organization_id", "id");
CREATE INDEX "push_subscriptions_organization_id_user_id_id_idx" ON "push_subscriptions" ("organization_id", "user_id", "id");

CREATE TABLE "recipients" (
  "id" TEXT NOT NULL,
  "organization_id" TEXT NOT NULL,
  "user_id" TEXT NOT NULL,
  "sealed" TEXT NOT NULL,
  "language" TEXT,
  "time_zone" TEXT,
  "attributes" JSONB NOT NULL,
  "switched_off" JSONB NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "recipients_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "recipients_organization_id_user_id_key" ON "recipients" ("organization_id", "user_id");

CREATE TABLE "shared_contents" (
  "id" TEXT NOT NULL,
  "organization_id" TEXT NOT NULL,
  "notification_id" TEXT NOT NULL,
  "subject" TEXT NOT NULL,
  "message" TEXT NOT NULL,
  "plans" JSONB NOT NULL,
  "sealed" TEXT,
  CONSTRAINT "shared_contents_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "storage_use" (
  "organization_id" TEXT NOT NULL,
  "bytes" BIGINT NOT NULL,
  "measured_at" TIMESTAMPTZ(3) NOT NULL,
  "warned" BOOLEAN NOT NULL DEFAULT false,
  "is_full" BOOLEAN NOT NULL DEFAULT false,
  CONSTRAINT "storage_use_pkey" PRIMARY KEY ("organization_id")
);

CREATE TABLE "stream_tickets" (
  "hash" BYTEA NOT NULL,
  "organization_id" TEXT NOT NULL,
  "caller" JSONB NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "stream_tickets_pkey" PRIMARY KEY ("hash")
);
CREATE INDEX "stream_tickets_expires_at_idx" ON "stream_tickets" ("expires_at");

CREATE TABLE "template_versions" (
  "organization_id" TEXT NOT NULL,
  "template_id" TEXT NOT NULL,
  "version" INTEGER NOT NULL,
  "content" TEXT NOT NULL,
  "hash" BYTEA NOT NULL,
  "created_by" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "template_versions_pkey" PRIMARY KEY ("organization_id", "template_id", "version")
);

CREATE TABLE "templates" (
  "organization_id" TEXT NOT NULL,
  "id" TEXT NOT NULL,
  "latest_version" INTEGER NOT NULL,
  "published_version" INTEGER,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "templates_pkey" PRIMARY KEY ("organization_id", "id")
);

CREATE TABLE "throttles" (
  "organization_id" TEXT NOT NULL,
  "key_hash" BYTEA NOT NULL,
  "until" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "throttles_pkey" PRIMARY KEY ("organization_id", "key_hash")
);
CREATE INDEX "throttles_until_idx" ON "throttles" ("until");

CREATE TABLE "topic_members" (
  "organization_id" TEXT NOT NULL,
  "topic_id" TEXT NOT NULL,
  "user_id" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "topic_members_pkey" PRIMARY KEY ("organization_id", "topic_id", "user_id")
);
CREATE INDEX "topic_members_organization_id_user_id_idx" ON "topic_members" ("organization_id", "user_id");

CREATE TABLE "topic_sends" (
  "id" TEXT NOT NULL,
  "organization_id" TEXT NOT NULL,
  "topic_id" TEXT NOT NULL,
  "request" TEXT NOT NULL,
  "done_id" TEXT NOT NULL DEFAULT '',
  "targeted" INTEGER NOT NULL DEFAULT 0,
  "accepted" INTEGER NOT NULL DEFAULT 0,
  "suppressed" INTEGER NOT NULL DEFAULT 0,
  "unreachable" INTEGER NOT NULL DEFAULT 0,
  "last_reason" TEXT,
  "outcome" TEXT,
  "due_at" TIMESTAMPTZ(3) NOT NULL,
  "lease" TEXT,
  "leased_until" TIMESTAMPTZ(3),
  "rings" INTEGER NOT NULL DEFAULT 0,
  "next_ring_at" TIMESTAMPTZ(3),
  "deaths" SMALLINT NOT NULL DEFAULT 0,
  "quarantined_at" TIMESTAMPTZ(3),
  CONSTRAINT "topic_sends_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "topic_sends_next_ring_at_idx" ON "topic_sends" ("next_ring_at");

CREATE TABLE "topics" (
  "organization_id" TEXT NOT NULL,
  "id" TEXT NOT NULL,
  "member_count" INTEGER NOT NULL DEFAULT 0,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "topics_pkey" PRIMARY KEY ("organization_id", "id")
);

ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_notification_id_fkey"
  FOREIGN KEY ("notification_id") REFERENCES "notifications" ("id") ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE "delivery_attempts" ADD CONSTRAINT "delivery_attempts_delivery_id_fkey"
  FOREIGN KEY ("delivery_id") REFERENCES "deliveries" ("id") ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE "digest_items" ADD CONSTRAINT "digest_items_notification_id_fkey"
  FOREIGN KEY ("notification_id") REFERENCES "digests" ("notification_id") ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE "digests" ADD CONSTRAINT "digests_notification_id_fkey"
  FOREIGN KEY ("notification_id") REFERENCES "notifications" ("id") ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE "engaged_readers" ADD CONSTRAINT "engaged_readers_notification_id_channel_event_fkey"
  FOREIGN KEY ("notification_id", "channel", "event") REFERENCES "engagements" ("notification_id", "channel", "event") ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE "engagements" ADD CONSTRAINT "engagements_notification_id_fkey"
  FOREIGN KEY ("notification_id") REFERENCES "notifications" ("id") ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE "in_app_receipts" ADD CONSTRAINT "in_app_receipts_item_id_fkey"
  FOREIGN KEY ("item_id") REFERENCES "in_app_items" ("id") ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE "notification_callbacks" ADD CONSTRAINT "notification_callbacks_id_fkey"
  FOREIGN KEY ("id") REFERENCES "notifications" ("id") ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE "push_chunks" ADD CONSTRAINT "push_chunks_delivery_id_fkey"
  FOREIGN KEY ("delivery_id") REFERENCES "push_fanouts" ("delivery_id") ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE "push_history" ADD CONSTRAINT "push_history_delivery_id_fkey"
  FOREIGN KEY ("delivery_id") REFERENCES "push_fanouts" ("delivery_id") ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE "push_retries" ADD CONSTRAINT "push_retries_delivery_id_fkey"
  FOREIGN KEY ("delivery_id") REFERENCES "push_fanouts" ("delivery_id") ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE "template_versions" ADD CONSTRAINT "template_versions_organization_id_template_id_fkey"
  FOREIGN KEY ("organization_id", "template_id") REFERENCES "templates" ("organization_id", "id") ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE "topic_members" ADD CONSTRAINT "topic_members_organization_id_topic_id_fkey"
  FOREIGN KEY ("organization_id", "topic_id") REFERENCES "topics" ("organization_id", "id") ON UPDATE CASCADE ON DELETE CASCADE;

ALTER TABLE "topic_sends" ADD CONSTRAINT "topic_sends_id_fkey"
  FOREIGN KEY ("id") REFERENCES "notifications" ("id") ON UPDATE CASCADE ON DELETE CASCADE;

-- A service inserts into and reads the audit log, nothing else. The triggers also bind the owner of
-- the table, which a service is in simple set-ups; grants restrict all other roles.
-- `trim_audit_log` deletes rows that are older than a year.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND TG_LEVEL = 'ROW' AND OLD.at < now() - interval '365 days' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'rows of audit_log are added and read, and nothing else' USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER "audit_log_no_change" BEFORE UPDATE OR TRUNCATE ON "audit_log"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER "audit_log_no_delete" BEFORE DELETE ON "audit_log"
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
-- ALWAYS: a session cannot skip them with session_replication_role.
ALTER TABLE "audit_log" ENABLE ALWAYS TRIGGER "audit_log_no_change";
ALTER TABLE "audit_log" ENABLE ALWAYS TRIGGER "audit_log_no_delete";

-- Runs with the rights of the migrating role: the service needs no DELETE. Returns the number of
-- deleted rows.
CREATE FUNCTION trim_audit_log(before timestamptz, rows_max integer) RETURNS integer
  LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH gone AS (
    DELETE FROM "audit_log" WHERE id IN (
      SELECT id FROM "audit_log" WHERE at < LEAST(before, now() - interval '365 days') ORDER BY at LIMIT rows_max)
    RETURNING 1)
  SELECT count(*)::integer FROM gone
$$;

DO $$
DECLARE other regrole;
BEGIN
  FOR other IN
    SELECT DISTINCT acl.grantee::regrole FROM pg_class, aclexplode(relacl) AS acl
    WHERE pg_class.oid = '"audit_log"'::regclass AND acl.grantee NOT IN (0, relowner)
  LOOP
    EXECUTE format('REVOKE ALL ON "audit_log" FROM %s', other);
    EXECUTE format('GRANT SELECT, INSERT ON "audit_log" TO %s', other);
  END LOOP;
END $$;
REVOKE ALL ON "audit_log" FROM PUBLIC;
-- The owner keeps DELETE for `trim_audit_log`.
REVOKE UPDATE, TRUNCATE ON "audit_log" FROM CURRENT_USER;
