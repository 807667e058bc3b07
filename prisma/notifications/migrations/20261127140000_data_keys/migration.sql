-- CreateTable
CREATE TABLE "data_keys" (
    "id" TEXT NOT NULL,
    "first_used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "rewrapped_at" TIMESTAMPTZ(3),

    CONSTRAINT "data_keys_pkey" PRIMARY KEY ("id")
);

-- The keys of what is stored already: one reading of each sealed column.
INSERT INTO "data_keys" ("id")
    SELECT split_part("sealed", '.', 2) AS "id" FROM "deliveries" WHERE starts_with("sealed", 's1.')
    UNION SELECT split_part("sealed", '.', 2) AS "id" FROM "shared_contents" WHERE starts_with("sealed", 's1.')
    UNION SELECT split_part("sealed", '.', 2) AS "id" FROM "notification_callbacks" WHERE starts_with("sealed", 's1.')
    UNION SELECT split_part("sealed", '.', 2) AS "id" FROM "push_subscriptions" WHERE starts_with("sealed", 's1.')
    UNION SELECT split_part("sealed", '.', 2) AS "id" FROM "recipients" WHERE starts_with("sealed", 's1.')
    UNION SELECT split_part("sealed", '.', 2) AS "id" FROM "suppressions" WHERE starts_with("sealed", 's1.');
