-- CreateTable
CREATE TABLE "data_keys" (
    "id" TEXT NOT NULL,
    "first_used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "rewrapped_at" TIMESTAMPTZ(3),

    CONSTRAINT "data_keys_pkey" PRIMARY KEY ("id")
);

-- The keys of what is stored already: one reading of each sealed column.
INSERT INTO "data_keys" ("id")
    SELECT split_part("provider_key", '.', 2) AS "id" FROM "model_settings" WHERE starts_with("provider_key", 's1.')
    UNION SELECT split_part("fallback_key", '.', 2) AS "id" FROM "model_settings" WHERE starts_with("fallback_key", 's1.');
