-- AlterTable
ALTER TABLE "analytics_facts" ADD COLUMN "error_code" TEXT NOT NULL DEFAULT '';
