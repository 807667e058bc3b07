-- Apart, since an index that is created while the table is written to needs a statement of its own.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "conversations_caller_idx" ON "conversations" (
  "organization_id", "caller_of"("channel", "direction", "from_address", "to_address", "metadata"), (coalesce("started_at", "created_at")), "id"
);
