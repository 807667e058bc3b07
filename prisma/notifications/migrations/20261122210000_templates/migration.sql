-- CreateTable
CREATE TABLE "templates" (
    "organization_id" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "latest_version" INTEGER NOT NULL,
    "published_version" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "templates_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "template_versions" (
    "organization_id" TEXT NOT NULL,
    "template_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "content" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "template_versions_pkey" PRIMARY KEY ("organization_id","template_id","version")
);

-- AddForeignKey
ALTER TABLE "template_versions" ADD CONSTRAINT "template_versions_organization_id_template_id_fkey" FOREIGN KEY ("organization_id", "template_id") REFERENCES "templates"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
