ALTER TABLE "recipients" ADD COLUMN "switched_on" JSONB NOT NULL DEFAULT '{}';
ALTER TABLE "categories" ADD COLUMN "opt_in" BOOLEAN NOT NULL DEFAULT false;
