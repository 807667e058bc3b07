-- CreateTable
CREATE TABLE "notifications" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "subject_given" BOOLEAN NOT NULL,
    "message" TEXT NOT NULL,
    "rejected" TEXT,
    "source" TEXT NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "send_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "canceled_at" TIMESTAMPTZ(3),
    "request_id" TEXT,
    "traceparent" TEXT,

    CONSTRAINT "notifications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "deliveries" (
    "id" TEXT NOT NULL,
    "notification_id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "plan" TEXT NOT NULL,
    "sealed" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "leased_until" TIMESTAMPTZ(3),
    "rings" INTEGER NOT NULL DEFAULT 0,
    "next_ring_at" TIMESTAMPTZ(3),
    "last_error_class" TEXT,
    "last_error" TEXT,
    "sent_at" TIMESTAMPTZ(3),
    "counts" TEXT,

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "delivery_attempts" (
    "delivery_id" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "organization_id" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ms" INTEGER NOT NULL,
    "outcome" TEXT NOT NULL,
    "http_status" INTEGER,
    "error_class" TEXT,
    "error" TEXT,

    CONSTRAINT "delivery_attempts_pkey" PRIMARY KEY ("delivery_id","attempt")
);

-- CreateTable
CREATE TABLE "organization_settings" (
    "organization_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "reference" TEXT,
    "value" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "organization_settings_pkey" PRIMARY KEY ("organization_id","key")
);

-- CreateTable
CREATE TABLE "in_app_items" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "user_id" TEXT,
    "notification_id" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "url" TEXT,
    "data" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "seen_at" TIMESTAMPTZ(3),
    "read_at" TIMESTAMPTZ(3),
    "written_by" BIGINT NOT NULL,

    CONSTRAINT "in_app_items_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "in_app_receipts" (
    "organization_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "item_id" TEXT NOT NULL,
    "seen_at" TIMESTAMPTZ(3),
    "read_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "in_app_receipts_pkey" PRIMARY KEY ("organization_id","user_id","item_id")
);

-- CreateTable
CREATE TABLE "in_app_changes" (
    "id" BIGSERIAL NOT NULL,
    "organization_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "item_id" TEXT,
    "notification_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "written_by" BIGINT NOT NULL,

    CONSTRAINT "in_app_changes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "stream_tickets" (
    "hash" BYTEA NOT NULL,
    "organization_id" TEXT NOT NULL,
    "caller" JSONB NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "stream_tickets_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "email_events" (
    "organization_id" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "notification_id" TEXT NOT NULL,
    "event" TEXT NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "email_events_pkey" PRIMARY KEY ("organization_id","event_id")
);

-- CreateTable
CREATE TABLE "push_subscriptions" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "endpoint_hash" BYTEA NOT NULL,
    "endpoint_host" TEXT NOT NULL,
    "sealed" TEXT NOT NULL,
    "user_id" TEXT,
    "site_id" TEXT,
    "platform" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "key_mismatch_at" TIMESTAMPTZ(3),
    "gone_at" TIMESTAMPTZ(3),

    CONSTRAINT "push_subscriptions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "push_fanouts" (
    "delivery_id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "notification_id" TEXT NOT NULL,
    "user_id" TEXT,
    "site_id" TEXT,
    "payload" TEXT NOT NULL,
    "urgency" TEXT NOT NULL,
    "topic" TEXT,
    "ttl_seconds" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "targeted" INTEGER NOT NULL DEFAULT 0,
    "sent" INTEGER NOT NULL DEFAULT 0,
    "gone" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "expired" INTEGER NOT NULL DEFAULT 0,
    "chunks_open" INTEGER NOT NULL,
    "settled_at" TIMESTAMPTZ(3),

    CONSTRAINT "push_fanouts_pkey" PRIMARY KEY ("delivery_id")
);

-- CreateTable
CREATE TABLE "push_chunks" (
    "id" TEXT NOT NULL,
    "delivery_id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "done_id" TEXT NOT NULL,
    "until_id" TEXT,
    "claim" TEXT,
    "leased_until" TIMESTAMPTZ(3),
    "rings" INTEGER NOT NULL DEFAULT 0,
    "next_ring_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "push_chunks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "push_retries" (
    "delivery_id" TEXT NOT NULL,
    "subscription_id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL,
    "last_error_class" TEXT NOT NULL,

    CONSTRAINT "push_retries_pkey" PRIMARY KEY ("delivery_id","subscription_id")
);

-- CreateTable
CREATE TABLE "push_history" (
    "organization_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "notification_id" TEXT NOT NULL,
    "delivery_id" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "delivered_count" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "push_history_pkey" PRIMARY KEY ("organization_id","user_id","notification_id")
);

-- CreateIndex
CREATE INDEX "deliveries_next_ring_at_idx" ON "deliveries"("next_ring_at");

-- CreateIndex
CREATE UNIQUE INDEX "deliveries_notification_id_channel_key" ON "deliveries"("notification_id", "channel");

-- CreateIndex
CREATE INDEX "in_app_items_organization_id_user_id_created_at_id_idx" ON "in_app_items"("organization_id", "user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "in_app_items_organization_id_user_id_read_at_expires_at_see_idx" ON "in_app_items"("organization_id", "user_id", "read_at", "expires_at", "seen_at", "id");

-- CreateIndex
CREATE INDEX "in_app_items_organization_id_written_by_idx" ON "in_app_items"("organization_id", "written_by");

-- CreateIndex
CREATE INDEX "in_app_items_expires_at_idx" ON "in_app_items"("expires_at");

-- CreateIndex
CREATE INDEX "in_app_receipts_item_id_idx" ON "in_app_receipts"("item_id");

-- CreateIndex
CREATE INDEX "in_app_changes_organization_id_written_by_idx" ON "in_app_changes"("organization_id", "written_by");

-- CreateIndex
CREATE INDEX "stream_tickets_expires_at_idx" ON "stream_tickets"("expires_at");

-- CreateIndex
CREATE INDEX "email_events_received_at_idx" ON "email_events"("received_at");

-- CreateIndex
CREATE INDEX "push_subscriptions_organization_id_id_idx" ON "push_subscriptions"("organization_id", "id");

-- CreateIndex
CREATE INDEX "push_subscriptions_organization_id_user_id_id_idx" ON "push_subscriptions"("organization_id", "user_id", "id");

-- CreateIndex
CREATE INDEX "push_subscriptions_gone_at_idx" ON "push_subscriptions"("gone_at");

-- CreateIndex
CREATE UNIQUE INDEX "push_subscriptions_organization_id_endpoint_hash_key" ON "push_subscriptions"("organization_id", "endpoint_hash");

-- CreateIndex
CREATE INDEX "push_fanouts_settled_at_created_at_idx" ON "push_fanouts"("settled_at", "created_at");

-- CreateIndex
CREATE INDEX "push_chunks_delivery_id_idx" ON "push_chunks"("delivery_id");

-- CreateIndex
CREATE INDEX "push_chunks_next_ring_at_idx" ON "push_chunks"("next_ring_at");

-- CreateIndex
CREATE INDEX "push_retries_next_attempt_at_idx" ON "push_retries"("next_attempt_at");

-- CreateIndex
CREATE INDEX "push_history_delivery_id_idx" ON "push_history"("delivery_id");

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_notification_id_fkey" FOREIGN KEY ("notification_id") REFERENCES "notifications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "delivery_attempts" ADD CONSTRAINT "delivery_attempts_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "deliveries"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "in_app_receipts" ADD CONSTRAINT "in_app_receipts_item_id_fkey" FOREIGN KEY ("item_id") REFERENCES "in_app_items"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_chunks" ADD CONSTRAINT "push_chunks_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "push_fanouts"("delivery_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_retries" ADD CONSTRAINT "push_retries_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "push_fanouts"("delivery_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "push_history" ADD CONSTRAINT "push_history_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "push_fanouts"("delivery_id") ON DELETE CASCADE ON UPDATE CASCADE;
