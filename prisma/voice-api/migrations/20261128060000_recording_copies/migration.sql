-- AlterTable
ALTER TABLE "conversations" ADD COLUMN     "recording_copy" JSONB;

-- AlterTable
ALTER TABLE "retention_rules" ADD COLUMN     "recording_store_id" TEXT;

-- CreateTable
CREATE TABLE "recording_stores" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "bot_id" TEXT NOT NULL,
    "endpoint" TEXT NOT NULL,
    "region" TEXT NOT NULL,
    "bucket" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "access_key_id" TEXT NOT NULL,
    "secret" TEXT NOT NULL,

    CONSTRAINT "recording_stores_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "recording_copies" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "conversation_id" TEXT NOT NULL,
    "store_id" TEXT NOT NULL,
    "object_key" TEXT NOT NULL,
    "source_url" TEXT,
    "status" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3),
    "bytes" BIGINT,
    "content_type" TEXT,
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "copied_at" TIMESTAMPTZ(3),

    CONSTRAINT "recording_copies_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "recording_stores_organization_id_bot_id_endpoint_bucket_key" ON "recording_stores"("organization_id", "bot_id", "endpoint", "bucket");

-- CreateIndex
CREATE INDEX "recording_copies_organization_id_conversation_id_idx" ON "recording_copies"("organization_id", "conversation_id");

-- CreateIndex
CREATE INDEX "recording_copies_store_id_idx" ON "recording_copies"("store_id");

-- For the workers, which take one row of each organisation in turn.
CREATE INDEX "recording_copies_due_idx" ON "recording_copies" ("organization_id", "next_at") WHERE "next_at" IS NOT NULL;
