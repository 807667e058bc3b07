-- AlterTable
ALTER TABLE "notification_callbacks" ADD COLUMN     "settled_told_at" TIMESTAMPTZ(3),
ADD COLUMN     "tracked" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "engagements" (
    "notification_id" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "event" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "engagements_pkey" PRIMARY KEY ("notification_id","channel","event")
);

-- CreateTable
CREATE TABLE "engaged_readers" (
    "notification_id" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "event" TEXT NOT NULL,
    "reader" BYTEA NOT NULL,

    CONSTRAINT "engaged_readers_pkey" PRIMARY KEY ("notification_id","channel","event","reader")
);

-- AddForeignKey
ALTER TABLE "engagements" ADD CONSTRAINT "engagements_notification_id_fkey" FOREIGN KEY ("notification_id") REFERENCES "notifications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "engaged_readers" ADD CONSTRAINT "engaged_readers_notification_id_channel_event_fkey" FOREIGN KEY ("notification_id", "channel", "event") REFERENCES "engagements"("notification_id", "channel", "event") ON DELETE CASCADE ON UPDATE CASCADE;
