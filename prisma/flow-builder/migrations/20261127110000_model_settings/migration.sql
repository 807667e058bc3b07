-- CreateTable
CREATE TABLE "model_settings" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "provider" JSONB,
    "provider_key" TEXT,
    "fallback" JSONB,
    "fallback_key" TEXT,
    "prices" JSONB NOT NULL,
    "monthly_budget" DECIMAL(65,30),
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_by" TEXT NOT NULL,

    CONSTRAINT "model_settings_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "model_settings_organization_id_key" ON "model_settings"("organization_id");
