-- AlterTable
ALTER TABLE "notifications" ADD COLUMN     "parent_id" TEXT;

-- CreateTable
CREATE TABLE "topics" (
    "organization_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "member_count" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "topics_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "topic_members" (
    "organization_id" TEXT NOT NULL,
    "topic_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "topic_members_pkey" PRIMARY KEY ("organization_id","topic_id","user_id")
);

-- CreateTable
CREATE TABLE "topic_sends" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "topic_id" TEXT NOT NULL,
    "request" TEXT NOT NULL,
    "done_id" TEXT NOT NULL DEFAULT '',
    "targeted" INTEGER NOT NULL DEFAULT 0,
    "accepted" INTEGER NOT NULL DEFAULT 0,
    "suppressed" INTEGER NOT NULL DEFAULT 0,
    "unreachable" INTEGER NOT NULL DEFAULT 0,
    "last_reason" TEXT,
    "outcome" TEXT,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "lease" TEXT,
    "leased_until" TIMESTAMPTZ(3),
    "rings" INTEGER NOT NULL DEFAULT 0,
    "next_ring_at" TIMESTAMPTZ(3),
    "deaths" SMALLINT NOT NULL DEFAULT 0,
    "quarantined_at" TIMESTAMPTZ(3),

    CONSTRAINT "topic_sends_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "notifications_organization_id_parent_id_created_at_id_idx" ON "notifications"("organization_id", "parent_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "topic_members_organization_id_user_id_idx" ON "topic_members"("organization_id", "user_id");

-- CreateIndex
CREATE INDEX "topic_sends_next_ring_at_idx" ON "topic_sends"("next_ring_at");

-- AddForeignKey
ALTER TABLE "topic_members" ADD CONSTRAINT "topic_members_organization_id_topic_id_fkey" FOREIGN KEY ("organization_id", "topic_id") REFERENCES "topics"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "topic_sends" ADD CONSTRAINT "topic_sends_id_fkey" FOREIGN KEY ("id") REFERENCES "notifications"("id") ON DELETE CASCADE ON UPDATE CASCADE;
