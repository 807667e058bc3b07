-- CreateTable
CREATE TABLE "recurring_sends" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "sealed" TEXT,
    "rrule" TEXT NOT NULL,
    "timezone" TEXT NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "next_at" TIMESTAMPTZ(3) NOT NULL,
    "number" INTEGER NOT NULL DEFAULT 1,
    "due_at" TIMESTAMPTZ(3),
    "accepted" INTEGER NOT NULL DEFAULT 0,
    "refused" INTEGER NOT NULL DEFAULT 0,
    "last_error" TEXT,
    "outcome" TEXT,

    CONSTRAINT "recurring_sends_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "recurring_sends_due_at_idx" ON "recurring_sends"("due_at");

-- CreateIndex
CREATE INDEX "recurring_sends_organization_id_id_idx" ON "recurring_sends"("organization_id", "id");

-- AddForeignKey
ALTER TABLE "recurring_sends" ADD CONSTRAINT "recurring_sends_id_fkey" FOREIGN KEY ("id") REFERENCES "notifications"("id") ON DELETE CASCADE ON UPDATE CASCADE;
