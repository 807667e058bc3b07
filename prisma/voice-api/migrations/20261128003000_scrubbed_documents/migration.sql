-- AlterTable
ALTER TABLE "search_documents" ADD COLUMN     "scrubbed" JSONB;

-- Workers build existing documents again, with their scrubbed lines.
UPDATE "conversations" SET "searched" = false WHERE "searched";
