-- CreateTable
CREATE TABLE "data_keys" (
    "id" TEXT NOT NULL,
    "first_used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "rewrapped_at" TIMESTAMPTZ(3),

    CONSTRAINT "data_keys_pkey" PRIMARY KEY ("id")
);

-- The keys of what is stored already: one reading of each sealed column.
INSERT INTO "data_keys" ("id")
    SELECT split_part("secret", '.', 2) AS "id" FROM "webhooks" WHERE starts_with("secret", 's1.')
    UNION SELECT split_part("previous_secret", '.', 2) AS "id" FROM "webhooks" WHERE starts_with("previous_secret", 's1.')
    UNION SELECT split_part("headers", '.', 2) AS "id" FROM "webhooks" WHERE starts_with("headers", 's1.')
    UNION SELECT split_part("signing_key", '.', 2) AS "id" FROM "webhooks" WHERE starts_with("signing_key", 's1.')
    UNION SELECT split_part("previous_signing_key", '.', 2) AS "id" FROM "webhooks" WHERE starts_with("previous_signing_key", 's1.')
    UNION SELECT split_part("target", '.', 2) AS "id" FROM "webhook_events" WHERE starts_with("target", 's1.')
    UNION SELECT split_part("secret", '.', 2) AS "id" FROM "import_tokens" WHERE starts_with("secret", 's1.')
    UNION SELECT split_part("sealed", '.', 2) AS "id" FROM "import_reports" WHERE starts_with("sealed", 's1.');
