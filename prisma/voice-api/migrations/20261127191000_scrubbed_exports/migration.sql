-- AlterTable
ALTER TABLE "exports" ADD COLUMN     "scrubbed" BOOLEAN NOT NULL DEFAULT false;
