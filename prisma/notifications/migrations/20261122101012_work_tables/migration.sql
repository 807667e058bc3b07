-- AlterTable
ALTER TABLE "deliveries" ADD COLUMN     "lease" TEXT,
ADD COLUMN     "own_failures" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "push_chunks" ADD COLUMN     "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
