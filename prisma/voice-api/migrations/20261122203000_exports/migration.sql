-- CreateTable
CREATE TABLE "exports" (
    "organization_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "filter" JSONB NOT NULL,
    "status" TEXT NOT NULL,
    "error" TEXT,
    "items" INTEGER NOT NULL,
    "bytes" BIGINT NOT NULL,
    "parts" INTEGER NOT NULL,
    "behind_at" TIMESTAMPTZ(3),
    "behind_id" TEXT,
    "leased_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "exports_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "export_parts" (
    "organization_id" TEXT NOT NULL,
    "export_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "data" TEXT NOT NULL,
    "conversation_ids" TEXT[],

    CONSTRAINT "export_parts_pkey" PRIMARY KEY ("organization_id","export_id","number")
);

-- CreateIndex
CREATE INDEX "exports_expires_at_idx" ON "exports"("expires_at");
