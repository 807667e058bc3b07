-- AlterTable
ALTER TABLE "analytics_facts" ADD COLUMN     "flow_id" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "flow_version" TEXT NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "bots" ADD COLUMN     "recording" TEXT NOT NULL DEFAULT 'full';

-- AlterTable
ALTER TABLE "turns" ADD COLUMN     "flow_id" TEXT,
ADD COLUMN     "flow_turn" INTEGER,
ADD COLUMN     "flow_version" INTEGER,
ADD COLUMN     "node_id" TEXT;

-- AlterTable
ALTER TABLE "webhook_events" ADD COLUMN     "written_by" BIGINT;

-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "filter" JSONB;

-- CreateTable
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

-- CreateTable
CREATE TABLE "flow_steps" (
    "organization_id" TEXT NOT NULL,
    "flow_id" TEXT NOT NULL,
    "flow_version" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "count" BIGINT NOT NULL,

    CONSTRAINT "flow_steps_pkey" PRIMARY KEY ("organization_id","flow_id","flow_version","kind","position")
);

-- CreateTable
CREATE TABLE "conversation_turns" (
    "organization_id" TEXT NOT NULL,
    "conversation_id" TEXT NOT NULL,
    "turn" INTEGER NOT NULL,
    "flow_id" TEXT NOT NULL,
    "flow_version" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "last_node" INTEGER NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "data" JSONB NOT NULL,
    "bytes" INTEGER NOT NULL,

    CONSTRAINT "conversation_turns_pkey" PRIMARY KEY ("organization_id","conversation_id","turn")
);

-- CreateTable
CREATE TABLE "stream_tickets" (
    "hash" BYTEA NOT NULL,
    "organization_id" TEXT NOT NULL,
    "caller" JSONB NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "stream_tickets_pkey" PRIMARY KEY ("hash")
);

-- CreateIndex
CREATE INDEX "stream_tickets_expires_at_idx" ON "stream_tickets"("expires_at");

-- CreateIndex
CREATE INDEX "conversations_organization_id_flow_id_created_at_id_idx" ON "conversations"("organization_id", "flow_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "webhook_events_organization_id_written_by_id_idx" ON "webhook_events"("organization_id", "written_by", "id");

-- Full text over what was said. The organisation is a word of every document, so that one organisation's words are not looked for in
-- the utterances of all. Of a longer utterance the beginning: a tsvector has an end.
CREATE INDEX "turns_search_idx" ON "turns" USING GIN (
  (to_tsvector('simple', left("text", 20000)) || array_to_tsvector(ARRAY['organization ' || "organization_id"]))
);
