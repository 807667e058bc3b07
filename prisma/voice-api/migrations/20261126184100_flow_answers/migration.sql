-- AlterTable
ALTER TABLE "conversation_turns" ADD COLUMN     "answer_node" INTEGER,
ADD COLUMN     "answer_outcome" TEXT,
ADD COLUMN     "refused" TEXT;
