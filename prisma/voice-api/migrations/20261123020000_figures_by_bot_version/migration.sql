-- AlterTable
ALTER TABLE "analytics_facts" ADD COLUMN     "bot_version" TEXT NOT NULL DEFAULT '';

-- CreateIndex
CREATE INDEX "bot_versions_organization_id_bot_id_at_version_idx" ON "bot_versions"("organization_id", "bot_id", "at", "version");
