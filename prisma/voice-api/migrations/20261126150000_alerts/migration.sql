-- CreateTable
CREATE TABLE "alerts" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "opened_at" TIMESTAMPTZ(3) NOT NULL,
    "last_raised_at" TIMESTAMPTZ(3) NOT NULL,
    "acknowledged_at" TIMESTAMPTZ(3),
    "acknowledged_by" TEXT,
    "resolved_at" TIMESTAMPTZ(3),
    "notified_at" TIMESTAMPTZ(3),

    CONSTRAINT "alerts_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "alerts_organization_id_opened_at_id_idx" ON "alerts"("organization_id", "opened_at", "id");

-- CreateIndex
CREATE INDEX "alerts_resolved_at_idx" ON "alerts"("resolved_at");

-- One alert of a cause is open. Prisma has no partial indexes.
CREATE UNIQUE INDEX "alerts_cause_key" ON "alerts"("organization_id", "kind", "subject") WHERE "resolved_at" IS NULL;
