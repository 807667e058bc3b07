-- CreateTable
CREATE TABLE "import_tokens" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "display" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "secret" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "created_by" TEXT NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "import_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "import_tokens_hash_key" ON "import_tokens"("hash");

-- CreateIndex
CREATE INDEX "import_tokens_organization_id_id_idx" ON "import_tokens"("organization_id", "id");
