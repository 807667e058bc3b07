-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "flows" (
    "organization_id" TEXT NOT NULL,
    "flow_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "latest_version" INTEGER NOT NULL,
    "latest_valid" INTEGER,
    "published_version" INTEGER,
    "published_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "flows_pkey" PRIMARY KEY ("organization_id","flow_id")
);

-- CreateTable
CREATE TABLE "flow_versions" (
    "organization_id" TEXT NOT NULL,
    "flow_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "definition" JSON NOT NULL,
    "validation" JSON NOT NULL,
    "valid" BOOLEAN NOT NULL,
    "hash" TEXT NOT NULL,
    "note" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "created_by" TEXT NOT NULL,

    CONSTRAINT "flow_versions_pkey" PRIMARY KEY ("organization_id","flow_id","version")
);

-- CreateTable
CREATE TABLE "flow_publications" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "flow_id" TEXT NOT NULL,
    "version" INTEGER,
    "skip_tests" BOOLEAN NOT NULL DEFAULT false,
    "reason" TEXT,
    "published_at" TIMESTAMPTZ(3) NOT NULL,
    "published_by" TEXT NOT NULL,

    CONSTRAINT "flow_publications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "flow_tests" (
    "organization_id" TEXT NOT NULL,
    "flow_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "test" JSON NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_by" TEXT NOT NULL,

    CONSTRAINT "flow_tests_pkey" PRIMARY KEY ("organization_id","flow_id","name")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "display" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_by" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "rotated_to" TEXT,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "organization_id" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "body_hash" BYTEA NOT NULL,
    "status" INTEGER NOT NULL,
    "reply" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("organization_id","route","key")
);

-- CreateTable
CREATE TABLE "outbox" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "contract" TEXT NOT NULL,
    "payload" TEXT NOT NULL,
    "request_id" TEXT,
    "traceparent" TEXT,
    "rings" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "next_ring_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "inbox" (
    "message_id" TEXT NOT NULL,
    "contract" TEXT NOT NULL,
    "producer" TEXT NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "inbox_pkey" PRIMARY KEY ("message_id")
);

-- CreateIndex
CREATE INDEX "flows_organization_id_created_at_flow_id_idx" ON "flows"("organization_id", "created_at", "flow_id");

-- CreateIndex
CREATE INDEX "flow_publications_organization_id_flow_id_published_at_idx" ON "flow_publications"("organization_id", "flow_id", "published_at");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_hash_key" ON "api_keys"("hash");

-- CreateIndex
CREATE INDEX "api_keys_organization_id_id_idx" ON "api_keys"("organization_id", "id");

-- CreateIndex
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");

-- CreateIndex
CREATE INDEX "outbox_next_ring_at_idx" ON "outbox"("next_ring_at");

-- CreateIndex
CREATE INDEX "inbox_received_at_idx" ON "inbox"("received_at");

-- AddForeignKey
ALTER TABLE "flow_versions" ADD CONSTRAINT "flow_versions_organization_id_flow_id_fkey" FOREIGN KEY ("organization_id", "flow_id") REFERENCES "flows"("organization_id", "flow_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "flow_publications" ADD CONSTRAINT "flow_publications_organization_id_flow_id_fkey" FOREIGN KEY ("organization_id", "flow_id") REFERENCES "flows"("organization_id", "flow_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "flow_tests" ADD CONSTRAINT "flow_tests_organization_id_flow_id_fkey" FOREIGN KEY ("organization_id", "flow_id") REFERENCES "flows"("organization_id", "flow_id") ON DELETE RESTRICT ON UPDATE CASCADE;
