-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "deaths" SMALLINT NOT NULL DEFAULT 0,
ADD COLUMN     "quarantined_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "push_chunks" ADD COLUMN     "deaths" SMALLINT NOT NULL DEFAULT 0,
ADD COLUMN     "quarantined_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "push_retries" ADD COLUMN     "deaths" SMALLINT NOT NULL DEFAULT 0,
ADD COLUMN     "leased_until" TIMESTAMPTZ(3),
ADD COLUMN     "quarantined_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "inbox_suspects" (
    "organization_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "contract" TEXT NOT NULL,
    "data" TEXT NOT NULL,
    "deaths" SMALLINT NOT NULL DEFAULT 0,
    "next_ring_at" TIMESTAMPTZ(3) NOT NULL,
    "quarantined_at" TIMESTAMPTZ(3),

    CONSTRAINT "inbox_suspects_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "inbox_suspects_next_ring_at_idx" ON "inbox_suspects"("next_ring_at");
