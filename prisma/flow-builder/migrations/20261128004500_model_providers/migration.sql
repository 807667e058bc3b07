-- CreateTable
CREATE TABLE "model_providers" (
    "id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "models" TEXT[],
    "key" TEXT,

    CONSTRAINT "model_providers_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "model_providers_organization_id_name_key" ON "model_providers"("organization_id", "name");
