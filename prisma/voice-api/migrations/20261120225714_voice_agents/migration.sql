-- CreateTable
CREATE TABLE "organizations" (
    "id" TEXT NOT NULL,
    "name" TEXT,
    "plan" TEXT NOT NULL,
    "requests_per_minute" INTEGER,
    "concurrent_connections" INTEGER,
    "alert_email" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "organizations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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

    CONSTRAINT "analytics_facts_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
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

    CONSTRAINT "analytics_rollups_pkey" PRIMARY KEY ("organization_id","bot_id","dimension","level","starts_at","value")
);

-- CreateTable
CREATE TABLE "analytics_callers" (
    "organization_id" TEXT NOT NULL,
    "digest" BYTEA NOT NULL,
    "number" INTEGER NOT NULL,

    CONSTRAINT "analytics_callers_pkey" PRIMARY KEY ("organization_id","digest")
);

-- CreateTable
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

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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

    CONSTRAINT "webhook_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_delivery_attempts" (
    "delivery_id" TEXT NOT NULL,
    "attempt" SMALLINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "status" SMALLINT,
    "error_class" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "ms" INTEGER NOT NULL,
    "answer" TEXT,

    CONSTRAINT "webhook_delivery_attempts_pkey" PRIMARY KEY ("delivery_id","attempt")
);

-- CreateTable
CREATE TABLE "webhook_delivery_batches" (
    "id" TEXT NOT NULL,
    "delivery_ids" TEXT[],
    "round" INTEGER NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "next_ring_at" TIMESTAMPTZ(3) NOT NULL,
    "rings" INTEGER NOT NULL DEFAULT 0,
    "lease" TEXT,
    "lease_until" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_delivery_batches_pkey" PRIMARY KEY ("id")
);

-- CreateTable
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

    CONSTRAINT "bots_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
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

    CONSTRAINT "conversations_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "conversation_events" (
    "organization_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "conversation_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "ignored" BOOLEAN NOT NULL,
    "data" JSONB,

    CONSTRAINT "conversation_events_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
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

    CONSTRAINT "turns_pkey" PRIMARY KEY ("organization_id","conversation_id","turn_index","role")
);

-- CreateTable
CREATE TABLE "bot_purges" (
    "organization_id" TEXT NOT NULL,
    "bot_id" TEXT NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "bot_purges_pkey" PRIMARY KEY ("organization_id","bot_id")
);

-- CreateTable
CREATE TABLE "error_alerts" (
    "organization_id" TEXT NOT NULL,
    "sent_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "error_alerts_pkey" PRIMARY KEY ("organization_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "analytics_callers_organization_id_number_key" ON "analytics_callers"("organization_id", "number");

-- CreateIndex
CREATE INDEX "webhooks_organization_id_id_idx" ON "webhooks"("organization_id", "id");

-- CreateIndex
CREATE INDEX "webhook_events_organization_id_conversation_id_interim_turn_idx" ON "webhook_events"("organization_id", "conversation_id", "interim_turn");

-- CreateIndex
CREATE INDEX "webhook_deliveries_webhook_id_id_idx" ON "webhook_deliveries"("webhook_id", "id");

-- CreateIndex
CREATE INDEX "webhook_delivery_batches_next_ring_at_idx" ON "webhook_delivery_batches"("next_ring_at");

-- CreateIndex
CREATE INDEX "bots_organization_id_created_at_id_idx" ON "bots"("organization_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "conversations_organization_id_created_at_id_idx" ON "conversations"("organization_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "conversations_organization_id_bot_id_created_at_id_idx" ON "conversations"("organization_id", "bot_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "conversations_due_at_idx" ON "conversations"("due_at");

-- CreateIndex
CREATE INDEX "conversation_events_organization_id_conversation_id_idx" ON "conversation_events"("organization_id", "conversation_id");
