-- CreateIndex
CREATE INDEX "conversations_organization_id_started_at_id_idx" ON "conversations"("organization_id", "started_at", "id");

-- CreateIndex
CREATE INDEX "conversations_organization_id_ended_at_id_idx" ON "conversations"("organization_id", "ended_at", "id");

-- CreateIndex
CREATE INDEX "conversations_organization_id_duration_seconds_id_idx" ON "conversations"("organization_id", "duration_seconds", "id");

-- What a conversation can be found by, as words of one index: any of its filters together, and what is rare is found at once. Each
-- begins with the organisation, so that nobody's filter reads the conversations of others. An entry of an index has an end.
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

CREATE INDEX "conversations_terms_idx" ON "conversations" USING GIN (
  "conversation_terms"("organization_id", "status", "channel", "direction", "from_address", "to_address", "language",
    "end_reason", "error_code", "tags", "metadata")
);
