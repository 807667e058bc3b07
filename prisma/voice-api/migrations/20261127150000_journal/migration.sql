-- CreateTable
CREATE TABLE "journal_entries" (
    "id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "kind" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "detail" JSONB NOT NULL,
    "flushed_at" TIMESTAMPTZ(3),
    "replaying" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "journal_entries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "journal_entries_at_id_idx" ON "journal_entries"("at", "id");

-- Read every second, and nearly always empty.
CREATE INDEX "journal_entries_unflushed_idx" ON "journal_entries" ("at", "id") WHERE "flushed_at" IS NULL;
CREATE INDEX "journal_entries_replaying_idx" ON "journal_entries" ("at", "id") WHERE "replaying";

-- Triggers, so that no use case can forget its entry. The id is that of a row, not of an event that others hear of.
-- It begins with microseconds: effects of the same millisecond are applied again in their order.
CREATE FUNCTION journal_add(kind TEXT, organization_id TEXT, subject TEXT, detail JSONB) RETURNS void LANGUAGE sql AS $$
  INSERT INTO "journal_entries" ("id", "at", "kind", "organization_id", "subject", "detail")
  SELECT 'jrn_' || (extract(epoch FROM now_at) * 1000000)::bigint || '_' || replace(gen_random_uuid()::text, '-', ''), now_at, $1, $2, $3, $4
  FROM clock_timestamp() AS now_at
$$;

CREATE FUNCTION journal_ended_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM journal_add('key_ended', NEW.organization_id, NEW.id,
    jsonb_build_object('revoked_at', NEW.revoked_at, 'expires_at', NEW.expires_at));
  RETURN NULL;
END $$;
CREATE TRIGGER "journal_ended_key" AFTER UPDATE ON "api_keys" FOR EACH ROW
  WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL OR OLD.rotated_to IS DISTINCT FROM NEW.rotated_to)
  EXECUTE FUNCTION journal_ended_key();

CREATE FUNCTION journal_erased_conversation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM journal_add('conversation_erased', NEW.organization_id, encode(NEW.digest, 'hex'), '{}');
  RETURN NULL;
END $$;
CREATE TRIGGER "journal_erased_conversation" AFTER INSERT ON "deleted_conversations" FOR EACH ROW
  EXECUTE FUNCTION journal_erased_conversation();

CREATE FUNCTION journal_revoked_token() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM journal_add('import_token_revoked', NEW.organization_id, NEW.id, '{}');
  RETURN NULL;
END $$;
CREATE TRIGGER "journal_revoked_token" AFTER UPDATE ON "import_tokens" FOR EACH ROW
  WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL)
  EXECUTE FUNCTION journal_revoked_token();
