-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "bot_ids" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "exports" ADD COLUMN     "bot_ids" TEXT[] DEFAULT ARRAY[]::TEXT[];
