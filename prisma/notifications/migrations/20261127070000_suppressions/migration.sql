CREATE TABLE "suppressions" (
  "id" TEXT NOT NULL,
  "organization_id" TEXT NOT NULL,
  "address_hash" BYTEA NOT NULL,
  "reason" TEXT NOT NULL,
  "source" TEXT NOT NULL,
  "detail" TEXT,
  "notification_id" TEXT,
  "sealed" TEXT,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "suppressions_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "suppressions_organization_id_address_hash_reason_key" ON "suppressions" ("organization_id", "address_hash", "reason");
CREATE INDEX "suppressions_organization_id_id_idx" ON "suppressions" ("organization_id", "id");

CREATE TABLE "sent_mails" (
  "organization_id" TEXT NOT NULL,
  "message_id" TEXT NOT NULL,
  "address_hash" BYTEA NOT NULL,
  "delivery_id" TEXT NOT NULL,
  CONSTRAINT "sent_mails_pkey" PRIMARY KEY ("organization_id", "message_id")
);
CREATE INDEX "sent_mails_delivery_id_idx" ON "sent_mails" ("delivery_id");
ALTER TABLE "sent_mails" ADD CONSTRAINT "sent_mails_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "deliveries" ("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Events of mails that no delivery is known for.
ALTER TABLE "email_events" ALTER COLUMN "notification_id" DROP NOT NULL;
