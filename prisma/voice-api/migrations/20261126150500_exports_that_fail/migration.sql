-- AlterTable
ALTER TABLE "exports" ADD COLUMN     "failures" INTEGER NOT NULL DEFAULT 0;
