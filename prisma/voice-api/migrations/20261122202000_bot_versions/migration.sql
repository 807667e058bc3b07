-- CreateTable
CREATE TABLE "bot_versions" (
    "organization_id" TEXT NOT NULL,
    "bot_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "data" JSONB NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "bot_versions_pkey" PRIMARY KEY ("organization_id","bot_id","version")
);

-- The present version of every bot: those before it were not kept.
INSERT INTO "bot_versions" ("organization_id", "bot_id", "version", "data", "at")
SELECT "organization_id", "id", "version", to_jsonb("bots"), "updated_at" FROM "bots";
