-- AlterTable
ALTER TABLE "conversation_turns" ALTER COLUMN "data" SET DATA TYPE JSON;
