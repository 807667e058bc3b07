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

CREATE TABLE "chat_answers" (
  "organization_id" TEXT NOT NULL,
  "session" TEXT NOT NULL,
  "turn" INTEGER NOT NULL,
  "question" TEXT NOT NULL,
  "answer" TEXT NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "chat_answers_pkey" PRIMARY KEY ("organization_id", "session", "turn", "question")
);
CREATE INDEX "chat_answers_expires_at_idx" ON "chat_answers" ("expires_at");

CREATE TABLE "flow_publications" (
  "id" TEXT NOT NULL,
  "organization_id" TEXT NOT NULL,
  "flow_id" TEXT NOT NULL,
  "version" INTEGER,
  "skip_tests" BOOLEAN NOT NULL DEFAULT false,
  "reason" TEXT,
  "published_at" TIMESTAMPTZ(3) NOT NULL,
  "published_by" TEXT NOT NULL,
  CONSTRAINT "flow_publications_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "flow_publications_organization_id_flow_id_published_at_idx" ON "flow_publications" ("organization_id", "flow_id", "published_at");

CREATE TABLE "flow_tests" (
  "organization_id" TEXT NOT NULL,
  "flow_id" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "test" JSON NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_by" TEXT NOT NULL,
  "characters" INTEGER NOT NULL GENERATED ALWAYS AS (length((test)::text)) STORED,
  CONSTRAINT "flow_tests_pkey" PRIMARY KEY ("organization_id", "flow_id", "name")
);

CREATE TABLE "flow_versions" (
  "organization_id" TEXT NOT NULL,
  "flow_id" TEXT NOT NULL,
  "version" INTEGER NOT NULL,
  "name" TEXT NOT NULL,
  "definition" JSON NOT NULL,
  "validation" JSON NOT NULL,
  "valid" BOOLEAN NOT NULL,
  "hash" TEXT NOT NULL,
  "note" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "created_by" TEXT NOT NULL,
  "calls" JSON,
  "expanded" JSON,
  CONSTRAINT "flow_versions_pkey" PRIMARY KEY ("organization_id", "flow_id", "version")
);

CREATE TABLE "flows" (
  "organization_id" TEXT NOT NULL,
  "flow_id" TEXT NOT NULL,
  "name" TEXT NOT NULL,
  "latest_version" INTEGER NOT NULL,
  "latest_valid" INTEGER,
  "published_version" INTEGER,
  "published_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  "archived_at" TIMESTAMPTZ(3),
  CONSTRAINT "flows_pkey" PRIMARY KEY ("organization_id", "flow_id")
);
CREATE INDEX "flows_archived_at_idx" ON "flows" ("archived_at");
CREATE INDEX "flows_organization_id_created_at_flow_id_idx" ON "flows" ("organization_id", "created_at", "flow_id");

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

ALTER TABLE "flow_publications" ADD CONSTRAINT "flow_publications_organization_id_flow_id_fkey"
  FOREIGN KEY ("organization_id", "flow_id") REFERENCES "flows" ("organization_id", "flow_id") ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE "flow_tests" ADD CONSTRAINT "flow_tests_organization_id_flow_id_fkey"
  FOREIGN KEY ("organization_id", "flow_id") REFERENCES "flows" ("organization_id", "flow_id") ON UPDATE CASCADE ON DELETE RESTRICT;

ALTER TABLE "flow_versions" ADD CONSTRAINT "flow_versions_organization_id_flow_id_fkey"
  FOREIGN KEY ("organization_id", "flow_id") REFERENCES "flows" ("organization_id", "flow_id") ON UPDATE CASCADE ON DELETE RESTRICT;

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
