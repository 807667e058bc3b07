-- The tables of release 0.2.0. Later migrations add to them (docs/platform.md#releases).

-- The terms that a conversation can be found by: one index answers any combination of filters. Each
-- term begins with the organisation, so that no filter reads the conversations of others. An index
-- entry has a maximum length.
CREATE FUNCTION "conversation_terms"(
  organization_id TEXT, status TEXT, channel TEXT, direction TEXT, from_address TEXT, to_address TEXT, language TEXT,
  end_reason TEXT, error_code TEXT, tags TEXT[], metadata JSONB
) RETURNS TEXT[] LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 AS $$
  SELECT array_agg(indexed.term) FROM (
    SELECT organization_id || chr(31) || named.name || chr(31) || named.value AS term FROM (
      VALUES ('status', status), ('channel', channel), ('direction', direction), ('from', from_address), ('to', to_address),
        ('language', language), ('end_reason', end_reason), ('error', CASE WHEN error_code IS NOT NULL THEN 'true' END)
      UNION ALL SELECT 'tag', tag FROM unnest(tags) AS tag
      UNION ALL SELECT 'metadata.' || entry.key, entry.value FROM jsonb_each_text(metadata) AS entry
    ) AS named (name, value) WHERE named.value IS NOT NULL
  ) AS indexed WHERE octet_length(indexed.term) <= 1500
$$;

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

CREATE TABLE "analytics_callers" (
  "organization_id" TEXT NOT NULL,
  "digest" BYTEA NOT NULL,
  "number" INTEGER NOT NULL,
  CONSTRAINT "analytics_callers_pkey" PRIMARY KEY ("organization_id", "digest")
);
CREATE UNIQUE INDEX "analytics_callers_organization_id_number_key" ON "analytics_callers" ("organization_id", "number");

CREATE TABLE "analytics_facts" (
  "id" BIGSERIAL NOT NULL,
  "organization_id" TEXT NOT NULL,
  "starts_at" TIMESTAMPTZ(3) NOT NULL,
  "bot_id" TEXT NOT NULL DEFAULT '',
  "channel" TEXT NOT NULL DEFAULT '',
  "status" TEXT NOT NULL DEFAULT '',
  "end_reason" TEXT NOT NULL DEFAULT '',
  "language" TEXT NOT NULL DEFAULT '',
  "caller" BYTEA,
  "conversations" INTEGER NOT NULL DEFAULT 0,
  "duration_ms" BIGINT,
  "turns" INTEGER NOT NULL DEFAULT 0,
  "bot_turns" INTEGER NOT NULL DEFAULT 0,
  "interruptions" INTEGER NOT NULL DEFAULT 0,
  "e2e_us" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
  "asr_us" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
  "llm_us" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
  "tts_us" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
  "webhook_attempts" INTEGER NOT NULL DEFAULT 0,
  "webhook_delivered" INTEGER NOT NULL DEFAULT 0,
  "webhook_us" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
  "api_requests" INTEGER NOT NULL DEFAULT 0,
  "flow_id" TEXT NOT NULL DEFAULT '',
  "flow_version" TEXT NOT NULL DEFAULT '',
  "bot_version" TEXT NOT NULL DEFAULT '',
  CONSTRAINT "analytics_facts_pkey" PRIMARY KEY ("organization_id", "id")
);

CREATE TABLE "analytics_rollups" (
  "organization_id" TEXT NOT NULL,
  "bot_id" TEXT NOT NULL,
  "dimension" TEXT NOT NULL,
  "level" SMALLINT NOT NULL,
  "starts_at" TIMESTAMPTZ(3) NOT NULL,
  "value" TEXT NOT NULL,
  "conversations" BIGINT NOT NULL,
  "completed" BIGINT NOT NULL,
  "failed" BIGINT NOT NULL,
  "duration_ms" BIGINT NOT NULL,
  "turns" BIGINT NOT NULL,
  "bot_turns" BIGINT NOT NULL,
  "interruptions" BIGINT NOT NULL,
  "webhook_attempts" BIGINT NOT NULL,
  "webhook_delivered" BIGINT NOT NULL,
  "api_requests" BIGINT NOT NULL,
  "distributions" BYTEA NOT NULL,
  "callers" BYTEA NOT NULL,
  CONSTRAINT "analytics_rollups_pkey" PRIMARY KEY ("organization_id", "bot_id", "dimension", "level", "starts_at", "value")
);

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

CREATE TABLE "bot_purges" (
  "organization_id" TEXT NOT NULL,
  "bot_id" TEXT NOT NULL,
  "requested_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "bot_purges_pkey" PRIMARY KEY ("organization_id", "bot_id")
);

CREATE TABLE "bot_versions" (
  "organization_id" TEXT NOT NULL,
  "bot_id" TEXT NOT NULL,
  "version" INTEGER NOT NULL,
  "data" JSONB NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "bot_versions_pkey" PRIMARY KEY ("organization_id", "bot_id", "version")
);
CREATE INDEX "bot_versions_organization_id_bot_id_at_version_idx" ON "bot_versions" ("organization_id", "bot_id", "at", "version");

CREATE TABLE "bots" (
  "organization_id" TEXT NOT NULL,
  "id" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "description" TEXT,
  "status" TEXT NOT NULL,
  "flow_id" TEXT,
  "flow_version" INTEGER,
  "language" TEXT NOT NULL,
  "voice" JSONB NOT NULL,
  "model" JSONB NOT NULL,
  "transcriber" JSONB NOT NULL,
  "system_prompt" TEXT,
  "first_message" TEXT,
  "max_duration_seconds" INTEGER NOT NULL,
  "silence_timeout_seconds" INTEGER,
  "interruptible" BOOLEAN NOT NULL,
  "tags" TEXT[],
  "metadata" JSONB NOT NULL,
  "version" INTEGER NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  "recording" TEXT NOT NULL DEFAULT 'full',
  CONSTRAINT "bots_pkey" PRIMARY KEY ("organization_id", "id")
);
CREATE INDEX "bots_organization_id_created_at_id_idx" ON "bots" ("organization_id", "created_at", "id");

CREATE TABLE "conversation_events" (
  "organization_id" TEXT NOT NULL,
  "id" TEXT NOT NULL,
  "conversation_id" TEXT NOT NULL,
  "type" TEXT NOT NULL,
  "occurred_at" TIMESTAMPTZ(3) NOT NULL,
  "received_at" TIMESTAMPTZ(3) NOT NULL,
  "ignored" BOOLEAN NOT NULL,
  "data" JSONB,
  CONSTRAINT "conversation_events_pkey" PRIMARY KEY ("organization_id", "id")
);
CREATE INDEX "conversation_events_organization_id_conversation_id_idx" ON "conversation_events" ("organization_id", "conversation_id");

CREATE TABLE "conversation_turns" (
  "organization_id" TEXT NOT NULL,
  "conversation_id" TEXT NOT NULL,
  "turn" INTEGER NOT NULL,
  "flow_id" TEXT NOT NULL,
  "flow_version" INTEGER NOT NULL,
  "status" TEXT NOT NULL,
  "last_node" INTEGER NOT NULL,
  "occurred_at" TIMESTAMPTZ(3) NOT NULL,
  "data" JSON NOT NULL,
  "bytes" INTEGER NOT NULL,
  "answer_node" INTEGER,
  "answer_outcome" TEXT,
  "refused" TEXT,
  CONSTRAINT "conversation_turns_pkey" PRIMARY KEY ("organization_id", "conversation_id", "turn")
);

CREATE TABLE "conversations" (
  "organization_id" TEXT NOT NULL,
  "id" TEXT NOT NULL,
  "bot_id" TEXT,
  "status" TEXT NOT NULL,
  "channel" TEXT,
  "direction" TEXT,
  "from_address" TEXT,
  "to_address" TEXT,
  "language" TEXT,
  "flow_id" TEXT,
  "flow_version" INTEGER,
  "metadata" JSONB NOT NULL,
  "started_at" TIMESTAMPTZ(3),
  "ended_at" TIMESTAMPTZ(3),
  "duration_seconds" DOUBLE PRECISION,
  "end_reason" TEXT,
  "end_detail" TEXT,
  "ended_by" TEXT,
  "error_code" TEXT,
  "error_message" TEXT,
  "turn_count" INTEGER NOT NULL,
  "revision" INTEGER NOT NULL,
  "transcript_ready" BOOLEAN NOT NULL,
  "announced_revision" INTEGER,
  "facts" JSONB NOT NULL,
  "sequence" INTEGER NOT NULL,
  "start_sent" BOOLEAN NOT NULL,
  "end_sent" BOOLEAN NOT NULL,
  "counted" BOOLEAN NOT NULL,
  "settled_at" TIMESTAMPTZ(3),
  "due_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  "bytes" INTEGER NOT NULL DEFAULT 0,
  "deaths" SMALLINT NOT NULL DEFAULT 0,
  "leased_until" TIMESTAMPTZ(3),
  "quarantined_at" TIMESTAMPTZ(3),
  "truncated" BOOLEAN NOT NULL DEFAULT false,
  "analysis" JSONB,
  "cost" JSONB,
  "recording_url" TEXT,
  "sentiment" TEXT,
  "success" BOOLEAN,
  "summary" TEXT,
  "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
  CONSTRAINT "conversations_pkey" PRIMARY KEY ("organization_id", "id")
);
CREATE INDEX "conversations_due_at_idx" ON "conversations" ("due_at");
CREATE INDEX "conversations_organization_id_bot_id_created_at_id_idx" ON "conversations" ("organization_id", "bot_id", "created_at", "id");
CREATE INDEX "conversations_organization_id_created_at_id_idx" ON "conversations" ("organization_id", "created_at", "id");
CREATE INDEX "conversations_organization_id_duration_seconds_id_idx" ON "conversations" ("organization_id", "duration_seconds", "id");
CREATE INDEX "conversations_organization_id_ended_at_id_idx" ON "conversations" ("organization_id", "ended_at", "id");
CREATE INDEX "conversations_organization_id_flow_id_created_at_id_idx" ON "conversations" ("organization_id", "flow_id", "created_at", "id");
CREATE INDEX "conversations_organization_id_started_at_id_idx" ON "conversations" ("organization_id", "started_at", "id");
CREATE INDEX "conversations_terms_idx" ON "conversations" USING GIN (
  "conversation_terms"("organization_id", "status", "channel", "direction", "from_address", "to_address", "language",
    "end_reason", "error_code", "tags", "metadata")
);

CREATE TABLE "deleted_conversations" (
  "organization_id" TEXT NOT NULL,
  "digest" BYTEA NOT NULL,
  "deleted_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "deleted_conversations_pkey" PRIMARY KEY ("organization_id", "digest")
);

CREATE TABLE "error_alerts" (
  "organization_id" TEXT NOT NULL,
  "sent_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "error_alerts_pkey" PRIMARY KEY ("organization_id")
);

CREATE TABLE "export_parts" (
  "organization_id" TEXT NOT NULL,
  "export_id" TEXT NOT NULL,
  "number" INTEGER NOT NULL,
  "data" TEXT NOT NULL,
  "conversation_ids" TEXT[],
  CONSTRAINT "export_parts_pkey" PRIMARY KEY ("organization_id", "export_id", "number")
);

CREATE TABLE "exports" (
  "organization_id" TEXT NOT NULL,
  "id" TEXT NOT NULL,
  "format" TEXT NOT NULL,
  "filter" JSONB NOT NULL,
  "status" TEXT NOT NULL,
  "error" TEXT,
  "items" INTEGER NOT NULL,
  "bytes" BIGINT NOT NULL,
  "parts" INTEGER NOT NULL,
  "behind_at" TIMESTAMPTZ(3),
  "behind_id" TEXT,
  "leased_until" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "finished_at" TIMESTAMPTZ(3),
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "bot_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
  "of" TEXT NOT NULL DEFAULT 'conversations',
  "failures" INTEGER NOT NULL DEFAULT 0,
  CONSTRAINT "exports_pkey" PRIMARY KEY ("organization_id", "id")
);
CREATE INDEX "exports_expires_at_idx" ON "exports" ("expires_at");

CREATE TABLE "flow_step_facts" (
  "id" BIGSERIAL NOT NULL,
  "organization_id" TEXT NOT NULL,
  "flow_id" TEXT NOT NULL,
  "flow_version" INTEGER NOT NULL,
  "nodes" INTEGER[],
  "edges" INTEGER[],
  "left_at" INTEGER,
  CONSTRAINT "flow_step_facts_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "flow_steps" (
  "organization_id" TEXT NOT NULL,
  "flow_id" TEXT NOT NULL,
  "flow_version" INTEGER NOT NULL,
  "kind" TEXT NOT NULL,
  "position" INTEGER NOT NULL,
  "count" BIGINT NOT NULL,
  CONSTRAINT "flow_steps_pkey" PRIMARY KEY ("organization_id", "flow_id", "flow_version", "kind", "position")
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

CREATE TABLE "turns" (
  "organization_id" TEXT NOT NULL,
  "conversation_id" TEXT NOT NULL,
  "turn_index" INTEGER NOT NULL,
  "role" TEXT NOT NULL,
  "text" TEXT NOT NULL,
  "start_ms" DOUBLE PRECISION,
  "end_ms" DOUBLE PRECISION,
  "confidence" DOUBLE PRECISION,
  "interrupted" BOOLEAN NOT NULL,
  "language" TEXT,
  "words" JSONB,
  "metrics" JSONB,
  "occurred_at" TIMESTAMPTZ(3) NOT NULL,
  "event_id" TEXT NOT NULL,
  "bytes" INTEGER NOT NULL DEFAULT 0,
  "flow_id" TEXT,
  "flow_turn" INTEGER,
  "flow_version" INTEGER,
  "node_id" TEXT,
  CONSTRAINT "turns_pkey" PRIMARY KEY ("organization_id", "conversation_id", "turn_index", "role")
);
-- Full-text search of utterances. The organisation is a word of every document, so that a search
-- never scans the utterances of others. Only the beginning of a long utterance: a tsvector has a
-- maximum size.
CREATE INDEX "turns_search_idx" ON "turns" USING GIN (
  (to_tsvector('simple', left("text", 20000)) || array_to_tsvector(ARRAY['organization ' || "organization_id"]))
);

-- A delivery is written twice: when it is planned, and when its result is known. With free space on
-- its page the second version stays there and touches no index (a heap-only tuple).
CREATE TABLE "webhook_deliveries" (
  "id" TEXT NOT NULL,
  "webhook_id" TEXT,
  "event_id" TEXT NOT NULL,
  "event" TEXT NOT NULL,
  "kind" TEXT NOT NULL,
  "status" TEXT NOT NULL,
  "attempts" SMALLINT NOT NULL,
  "round" INTEGER NOT NULL,
  "replay_of" TEXT,
  "next_attempt_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "finished_at" TIMESTAMPTZ(3),
  "answer_status" SMALLINT,
  "answer_ms" INTEGER,
  "answer" TEXT,
  "exchange" TEXT,
  "ordered" BOOLEAN NOT NULL DEFAULT false,
  CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id")
) WITH (fillfactor = 60);
CREATE INDEX "webhook_deliveries_webhook_id_id_idx" ON "webhook_deliveries" ("webhook_id", "id");

CREATE TABLE "webhook_delivery_attempts" (
  "delivery_id" TEXT NOT NULL,
  "attempt" SMALLINT NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL,
  "status" SMALLINT,
  "error_class" TEXT NOT NULL,
  "message" TEXT NOT NULL,
  "ms" INTEGER NOT NULL,
  "answer" TEXT,
  "exchange" TEXT,
  CONSTRAINT "webhook_delivery_attempts_pkey" PRIMARY KEY ("delivery_id", "attempt")
);

CREATE TABLE "webhook_delivery_batches" (
  "id" TEXT NOT NULL,
  "delivery_ids" TEXT[],
  "round" INTEGER NOT NULL,
  "due_at" TIMESTAMPTZ(3) NOT NULL,
  "next_ring_at" TIMESTAMPTZ(3) NOT NULL,
  "rings" INTEGER NOT NULL DEFAULT 0,
  "lease" TEXT,
  "lease_until" TIMESTAMPTZ(3),
  "bytes" INTEGER NOT NULL DEFAULT 0,
  "deaths" SMALLINT NOT NULL DEFAULT 0,
  "quarantined_at" TIMESTAMPTZ(3),
  CONSTRAINT "webhook_delivery_batches_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "webhook_delivery_batches_next_ring_at_idx" ON "webhook_delivery_batches" ("next_ring_at");

CREATE TABLE "webhook_delivery_orders" (
  "organization_id" TEXT NOT NULL,
  "webhook_id" TEXT NOT NULL,
  "conversation_id" TEXT NOT NULL,
  "sequence" INTEGER NOT NULL,
  "delivery_id" TEXT NOT NULL,
  "released" BOOLEAN NOT NULL,
  CONSTRAINT "webhook_delivery_orders_pkey" PRIMARY KEY ("delivery_id")
);
CREATE INDEX "webhook_delivery_orders_organization_id_webhook_id_conversa_idx" ON "webhook_delivery_orders" ("organization_id", "webhook_id", "conversation_id", "sequence", "delivery_id");

CREATE TABLE "webhook_events" (
  "id" TEXT NOT NULL,
  "organization_id" TEXT NOT NULL,
  "conversation_id" TEXT NOT NULL,
  "bot_id" TEXT,
  "body" TEXT NOT NULL,
  "target" TEXT,
  "request_id" TEXT,
  "traceparent" TEXT,
  "interim_turn" INTEGER,
  "superseded" BOOLEAN NOT NULL DEFAULT false,
  "delivery_ids" TEXT[],
  "written_by" BIGINT,
  CONSTRAINT "webhook_events_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "webhook_events_organization_id_conversation_id_interim_turn_idx" ON "webhook_events" ("organization_id", "conversation_id", "interim_turn");
CREATE INDEX "webhook_events_organization_id_written_by_id_idx" ON "webhook_events" ("organization_id", "written_by", "id");

CREATE TABLE "webhooks" (
  "id" TEXT NOT NULL,
  "organization_id" TEXT NOT NULL,
  "url" TEXT NOT NULL,
  "events" TEXT[],
  "description" TEXT,
  "status" TEXT NOT NULL,
  "secret" TEXT NOT NULL,
  "secret_hint" TEXT NOT NULL,
  "previous_secret" TEXT,
  "previous_secret_until" TIMESTAMPTZ(3),
  "disabled_at" TIMESTAMPTZ(3),
  "disabled_reason" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "created_by" TEXT NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  "filter" JSONB,
  "bot_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
  "headers" TEXT,
  "headers_shown" JSONB,
  "next_slot_at" TIMESTAMPTZ(3),
  "ordered" BOOLEAN NOT NULL DEFAULT false,
  "previous_public_key" TEXT,
  "previous_signing_key" TEXT,
  "public_key" TEXT,
  "rate_per_second" INTEGER,
  "signing_key" TEXT,
  "timeout_ms" INTEGER,
  "warned_at" TIMESTAMPTZ(3),
  CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "webhooks_organization_id_id_idx" ON "webhooks" ("organization_id", "id");

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
