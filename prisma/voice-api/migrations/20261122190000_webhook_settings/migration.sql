-- AlterTable
ALTER TABLE "webhooks" ADD COLUMN     "bot_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "headers" TEXT,
ADD COLUMN     "headers_shown" JSONB,
ADD COLUMN     "next_slot_at" TIMESTAMPTZ(3),
ADD COLUMN     "ordered" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "previous_public_key" TEXT,
ADD COLUMN     "previous_signing_key" TEXT,
ADD COLUMN     "public_key" TEXT,
ADD COLUMN     "rate_per_second" INTEGER,
ADD COLUMN     "signing_key" TEXT,
ADD COLUMN     "timeout_ms" INTEGER,
ADD COLUMN     "warned_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "webhook_deliveries" ADD COLUMN     "exchange" TEXT,
ADD COLUMN     "ordered" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "webhook_delivery_attempts" ADD COLUMN     "exchange" TEXT;

-- CreateTable
CREATE TABLE "webhook_delivery_orders" (
    "organization_id" TEXT NOT NULL,
    "webhook_id" TEXT NOT NULL,
    "conversation_id" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "delivery_id" TEXT NOT NULL,
    "released" BOOLEAN NOT NULL,

    CONSTRAINT "webhook_delivery_orders_pkey" PRIMARY KEY ("delivery_id")
);

-- CreateIndex
CREATE INDEX "webhook_delivery_orders_organization_id_webhook_id_conversa_idx" ON "webhook_delivery_orders"("organization_id", "webhook_id", "conversation_id", "sequence", "delivery_id");
