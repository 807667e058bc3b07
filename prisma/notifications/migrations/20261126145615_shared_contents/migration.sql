-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "shared_bytes" INTEGER;

-- AlterTable
ALTER TABLE "in_app_items" ADD COLUMN     "content_id" TEXT;

-- AlterTable
ALTER TABLE "notifications" ADD COLUMN     "content_id" TEXT;

-- AlterTable
ALTER TABLE "push_fanouts" ADD COLUMN     "content_id" TEXT;

-- CreateTable
CREATE TABLE "shared_contents" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "notification_id" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "plans" JSONB NOT NULL,
    "sealed" TEXT,

    CONSTRAINT "shared_contents_pkey" PRIMARY KEY ("id")
);
