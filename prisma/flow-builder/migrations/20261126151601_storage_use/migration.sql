-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "storage_bytes" BIGINT;

-- CreateTable
CREATE TABLE "storage_use" (
    "organization_id" TEXT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "measured_at" TIMESTAMPTZ(3) NOT NULL,
    "warned" BOOLEAN NOT NULL DEFAULT false,
    "is_full" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "storage_use_pkey" PRIMARY KEY ("organization_id")
);
