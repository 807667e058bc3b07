-- The release before finds, publishes and deletes templates by organisation and id alone.
CREATE TABLE "workflows" (
  "organization_id" TEXT NOT NULL,
  "id" TEXT NOT NULL,
  "latest_version" INTEGER NOT NULL,
  "published_version" INTEGER,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "updated_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "workflows_pkey" PRIMARY KEY ("organization_id", "id")
);

CREATE TABLE "workflow_versions" (
  "organization_id" TEXT NOT NULL,
  "workflow_id" TEXT NOT NULL,
  "version" INTEGER NOT NULL,
  "content" TEXT NOT NULL,
  "hash" BYTEA NOT NULL,
  "created_by" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT "workflow_versions_pkey" PRIMARY KEY ("organization_id", "workflow_id", "version")
);
ALTER TABLE "workflow_versions" ADD CONSTRAINT "workflow_versions_organization_id_workflow_id_fkey"
  FOREIGN KEY ("organization_id", "workflow_id") REFERENCES "workflows" ("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

INSERT INTO "workflows" SELECT "organization_id", "id", "latest_version", "published_version", "created_at", "updated_at"
  FROM "templates" WHERE "kind" = 'workflow';
INSERT INTO "workflow_versions" SELECT "organization_id", "template_id", "version", "content", "hash", "created_by", "created_at"
  FROM "template_versions" WHERE "kind" = 'workflow';
DELETE FROM "templates" WHERE "kind" = 'workflow';

ALTER TABLE "template_versions" DROP CONSTRAINT "template_versions_organization_id_kind_template_id_fkey",
  DROP CONSTRAINT "template_versions_pkey", DROP COLUMN "kind",
  ADD CONSTRAINT "template_versions_pkey" PRIMARY KEY ("organization_id", "template_id", "version");
ALTER TABLE "templates" DROP CONSTRAINT "templates_pkey", DROP COLUMN "kind",
  ADD CONSTRAINT "templates_pkey" PRIMARY KEY ("organization_id", "id");
ALTER TABLE "template_versions" ADD CONSTRAINT "template_versions_organization_id_template_id_fkey"
  FOREIGN KEY ("organization_id", "template_id") REFERENCES "templates" ("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;
