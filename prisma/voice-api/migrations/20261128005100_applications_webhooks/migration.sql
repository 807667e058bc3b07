-- Apart, since an index that is created while the table is written to needs a statement of its own.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "webhooks_organization_id_application_id_idx" ON "webhooks" ("organization_id", "application_id");
