-- CreateTable
CREATE TABLE "notification_callbacks" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "sealed" TEXT NOT NULL,
    "look_at" TIMESTAMPTZ(3),

    CONSTRAINT "notification_callbacks_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "notification_callbacks_look_at_idx" ON "notification_callbacks"("look_at");

-- AddForeignKey
ALTER TABLE "notification_callbacks" ADD CONSTRAINT "notification_callbacks_id_fkey" FOREIGN KEY ("id") REFERENCES "notifications"("id") ON DELETE CASCADE ON UPDATE CASCADE;
