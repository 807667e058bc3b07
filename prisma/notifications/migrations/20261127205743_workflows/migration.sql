-- DropForeignKey
ALTER TABLE "template_versions" DROP CONSTRAINT "template_versions_organization_id_template_id_fkey";

-- AlterTable
ALTER TABLE "notifications" ADD COLUMN     "workflow_id" TEXT,
ADD COLUMN     "workflow_version" INTEGER;

-- AlterTable
ALTER TABLE "template_versions" DROP CONSTRAINT "template_versions_pkey",
ADD COLUMN     "kind" TEXT NOT NULL DEFAULT 'template',
ADD CONSTRAINT "template_versions_pkey" PRIMARY KEY ("organization_id", "kind", "template_id", "version");

-- AlterTable
ALTER TABLE "templates" DROP CONSTRAINT "templates_pkey",
ADD COLUMN     "kind" TEXT NOT NULL DEFAULT 'template',
ADD CONSTRAINT "templates_pkey" PRIMARY KEY ("organization_id", "kind", "id");

-- AddForeignKey
ALTER TABLE "template_versions" ADD CONSTRAINT "template_versions_organization_id_kind_template_id_fkey" FOREIGN KEY ("organization_id", "kind", "template_id") REFERENCES "templates"("organization_id", "kind", "id") ON DELETE CASCADE ON UPDATE CASCADE;
