-- AlterTable
ALTER TABLE "outbox" ADD COLUMN     "batch" TEXT;
