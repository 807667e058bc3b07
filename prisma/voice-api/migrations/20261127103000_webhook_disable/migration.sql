-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN "disable" TEXT NOT NULL DEFAULT 'after_failures';
