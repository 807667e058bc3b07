-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "last_http_status" INTEGER;

-- AlterTable
ALTER TABLE "push_fanouts" ADD COLUMN     "cause" TEXT,
ADD COLUMN     "untried" INTEGER NOT NULL DEFAULT 0;
