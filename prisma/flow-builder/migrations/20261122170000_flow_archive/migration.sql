-- AlterTable
ALTER TABLE "flows" ADD COLUMN     "archived_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "flows_archived_at_idx" ON "flows"("archived_at");
