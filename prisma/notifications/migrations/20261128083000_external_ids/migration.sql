-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "external_id" TEXT;

-- Partial: the successor of a rotated key takes the external id over, and so does a new key after a revocation.
CREATE UNIQUE INDEX "api_keys_external_id_idx" ON "api_keys" ("organization_id", "external_id") WHERE "revoked_at" IS NULL AND "rotated_to" IS NULL;
