-- AlterTable
ALTER TABLE "flow_tests" ADD COLUMN     "characters" INTEGER NOT NULL GENERATED ALWAYS AS (length("test"::text)) STORED;
