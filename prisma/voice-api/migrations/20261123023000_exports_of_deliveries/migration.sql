-- AlterTable
ALTER TABLE "exports" ADD COLUMN     "of" TEXT NOT NULL DEFAULT 'conversations';
