-- AlterTable
ALTER TABLE "conversations" ADD COLUMN     "hold" JSONB,
ADD COLUMN     "removed" JSONB NOT NULL DEFAULT '{}';

-- CreateTable
CREATE TABLE "retention_rules" (
    "organization_id" TEXT NOT NULL,
    "bot_id" TEXT NOT NULL,
    "parts" JSONB NOT NULL,
    "redact_transcripts" BOOLEAN,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_by" TEXT NOT NULL,

    CONSTRAINT "retention_rules_pkey" PRIMARY KEY ("organization_id","bot_id")
);

-- CreateTable
CREATE TABLE "retention_sweeps" (
    "organization_id" TEXT NOT NULL,
    "after_at" TIMESTAMPTZ(3),
    "after_id" TEXT NOT NULL DEFAULT '',
    "next_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "retention_sweeps_pkey" PRIMARY KEY ("organization_id")
);

-- CreateIndex
CREATE INDEX "retention_sweeps_next_at_idx" ON "retention_sweeps"("next_at");
