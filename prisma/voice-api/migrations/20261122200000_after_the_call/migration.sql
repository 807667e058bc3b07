-- AlterTable
ALTER TABLE "conversations" ADD COLUMN     "analysis" JSONB,
ADD COLUMN     "cost" JSONB,
ADD COLUMN     "recording_url" TEXT,
ADD COLUMN     "sentiment" TEXT,
ADD COLUMN     "success" BOOLEAN,
ADD COLUMN     "summary" TEXT,
ADD COLUMN     "tags" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "deleted_conversations" (
    "organization_id" TEXT NOT NULL,
    "digest" BYTEA NOT NULL,
    "deleted_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "deleted_conversations_pkey" PRIMARY KEY ("organization_id","digest")
);
