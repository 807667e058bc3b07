-- CreateIndex
CREATE INDEX "notifications_organization_id_created_at_id_idx" ON "notifications"("organization_id", "created_at", "id");
