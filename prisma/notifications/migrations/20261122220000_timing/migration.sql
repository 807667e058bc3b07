-- CreateTable
CREATE TABLE "throttles" (
    "organization_id" TEXT NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "throttles_pkey" PRIMARY KEY ("organization_id","key_hash")
);

-- CreateTable
CREATE TABLE "digests" (
    "notification_id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "fingerprint" BYTEA,
    "closes_at" TIMESTAMPTZ(3) NOT NULL,
    "count" INTEGER NOT NULL,
    "bytes" INTEGER NOT NULL,

    CONSTRAINT "digests_pkey" PRIMARY KEY ("notification_id")
);

-- CreateTable
CREATE TABLE "digest_items" (
    "notification_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "data" TEXT NOT NULL,

    CONSTRAINT "digest_items_pkey" PRIMARY KEY ("notification_id","position")
);

-- CreateIndex
CREATE INDEX "throttles_until_idx" ON "throttles"("until");

-- CreateIndex
CREATE UNIQUE INDEX "digests_organization_id_fingerprint_key" ON "digests"("organization_id", "fingerprint");

-- AddForeignKey
ALTER TABLE "digests" ADD CONSTRAINT "digests_notification_id_fkey" FOREIGN KEY ("notification_id") REFERENCES "notifications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "digest_items" ADD CONSTRAINT "digest_items_notification_id_fkey" FOREIGN KEY ("notification_id") REFERENCES "digests"("notification_id") ON DELETE CASCADE ON UPDATE CASCADE;
