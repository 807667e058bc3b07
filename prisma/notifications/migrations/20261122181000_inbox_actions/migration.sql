-- AlterTable
ALTER TABLE "in_app_changes" ADD COLUMN     "snoozed_until" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "in_app_items" ADD COLUMN     "actions" JSONB,
ADD COLUMN     "archived_at" TIMESTAMPTZ(3),
ADD COLUMN     "category" TEXT,
ADD COLUMN     "icon" TEXT,
ADD COLUMN     "snoozed_until" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "in_app_receipts" ADD COLUMN     "archived_at" TIMESTAMPTZ(3),
ADD COLUMN     "snoozed_until" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "in_app_items_snoozed_until_idx" ON "in_app_items"("snoozed_until");

-- CreateIndex
CREATE INDEX "in_app_receipts_snoozed_until_idx" ON "in_app_receipts"("snoozed_until");
