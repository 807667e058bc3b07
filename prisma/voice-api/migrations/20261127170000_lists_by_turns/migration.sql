-- Lists by the number of turns have final conversations only (docs/voice-api.md#filters): their
-- numbers do not change while somebody pages. Running ones cost no entry here.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "conversations_turn_count_idx" ON "conversations" ("organization_id", "turn_count", "id") WHERE "due_at" IS NULL;
