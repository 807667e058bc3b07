-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "notify_per_minute" INTEGER;
