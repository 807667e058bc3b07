-- Lists are in the order of the start, or of the first report while there is none
-- (docs/voice-api.md#filters). Exports and bulk changes stay in the order of the first report.
DROP INDEX "conversations_organization_id_started_at_id_idx";
DROP INDEX "conversations_organization_id_bot_id_created_at_id_idx";
DROP INDEX "conversations_organization_id_flow_id_created_at_id_idx";
CREATE INDEX "conversations_place_idx" ON "conversations" ("organization_id", (coalesce("started_at", "created_at")), "id");
CREATE INDEX "conversations_bot_place_idx" ON "conversations" ("organization_id", "bot_id", (coalesce("started_at", "created_at")), "id");
CREATE INDEX "conversations_flow_place_idx" ON "conversations" ("organization_id", "flow_id", (coalesce("started_at", "created_at")), "id");
