-- CreateTable
CREATE TABLE "import_reports" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "conversation_id" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "digest" BYTEA NOT NULL,
    "bot_id" TEXT,
    "sealed" TEXT NOT NULL,
    "bytes" INTEGER NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "import_reports_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "import_states" (
    "organization_id" TEXT NOT NULL,
    "conversation_id" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "applied" JSONB NOT NULL,

    CONSTRAINT "import_states_pkey" PRIMARY KEY ("organization_id","conversation_id","source")
);

-- CreateIndex
CREATE UNIQUE INDEX "import_reports_organization_id_conversation_id_digest_key" ON "import_reports"("organization_id", "conversation_id", "digest");
