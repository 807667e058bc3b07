-- Ids of events are derived from their facts and no longer grow with time: retention goes by
-- created_at, and the feed orders the events of one transaction by their sequence.
ALTER TABLE "webhook_events"
  ADD COLUMN "sequence" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
DROP INDEX "webhook_events_organization_id_written_by_id_idx";
CREATE INDEX "webhook_events_organization_id_written_by_sequence_id_idx" ON "webhook_events" ("organization_id", "written_by", "sequence", "id");
CREATE INDEX "webhook_events_created_at_idx" ON "webhook_events" ("created_at");
