-- Search documents (docs/voice-api.md#search): the folded text of a final conversation, and the
-- hashes of its grams. Both leave the row for the TOAST table, so that the rows are small and
-- close together, which halves the index.
CREATE TABLE "search_documents" (
  "organization_id" TEXT NOT NULL,
  "conversation_id" TEXT NOT NULL,
  "words" TEXT NOT NULL,
  "grams" INTEGER[],
  CONSTRAINT "search_documents_pkey" PRIMARY KEY ("organization_id", "conversation_id")
) WITH (toast_tuple_target = 128);
-- Hashes do not compress, and figures about them help no plan.
ALTER TABLE "search_documents" ALTER COLUMN "grams" SET STORAGE EXTERNAL, ALTER COLUMN "grams" SET STATISTICS 0,
  ALTER COLUMN "words" SET STATISTICS 0;

-- Its cost tells the planner that reading the grams of every document is expensive.
CREATE FUNCTION "search_terms"(grams INTEGER[]) RETURNS INTEGER[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1000 AS
  'BEGIN RETURN grams; END';
CREATE INDEX "search_documents_terms_idx" ON "search_documents" USING GIN ("search_terms"("grams"));
ALTER INDEX "search_documents_terms_idx" ALTER COLUMN 1 SET STATISTICS 0;

-- Its document has all of its utterances.
ALTER TABLE "conversations" ADD COLUMN "searched" BOOLEAN NOT NULL DEFAULT false;
-- Conversations that are searched without a document: running ones, and final ones for moments.
CREATE INDEX "conversations_unsearched_idx" ON "conversations" ("organization_id", (coalesce("started_at", "created_at")), "id")
  WHERE NOT "searched";
CREATE INDEX "conversations_unsearched_settled_idx" ON "conversations" ("settled_at") WHERE NOT "searched" AND "due_at" IS NULL;

-- The index of words of single utterances, which documents replace.
DROP INDEX "turns_search_idx";
