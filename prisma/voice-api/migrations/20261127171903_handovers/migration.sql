-- AlterTable
ALTER TABLE "outbox" ADD COLUMN     "about" TEXT;

-- CreateTable
CREATE TABLE "handovers" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "contract" TEXT NOT NULL,
    "payload" TEXT NOT NULL,
    "about" TEXT,
    "request_id" TEXT,
    "traceparent" TEXT,
    "rings" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "acknowledged_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "handovers_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "handovers_acknowledged_at_idx" ON "handovers"("acknowledged_at");

-- CreateIndex
CREATE INDEX "handovers_organization_id_about_idx" ON "handovers"("organization_id", "about");
