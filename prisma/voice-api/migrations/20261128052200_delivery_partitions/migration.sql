-- Last of three steps: the tables become the first partitions, and take their indexes along. Nothing is read or copied,
-- because the constraints are validated. Workers create the partitions of the weeks after the bound.
SET LOCAL lock_timeout = '5s';

LOCK TABLE "webhook_deliveries", "webhook_delivery_attempts" IN ACCESS EXCLUSIVE MODE;

ALTER TABLE "webhook_deliveries" RENAME TO "webhook_deliveries_earlier";
ALTER TABLE "webhook_deliveries_earlier" RENAME CONSTRAINT "webhook_deliveries_pkey" TO "webhook_deliveries_earlier_pkey";
ALTER INDEX "webhook_deliveries_webhook_id_id_idx" RENAME TO "webhook_deliveries_earlier_webhook_id_id_idx";
CREATE TABLE "webhook_deliveries" (LIKE "webhook_deliveries_earlier" INCLUDING DEFAULTS) PARTITION BY RANGE ("id");
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id");
CREATE INDEX "webhook_deliveries_webhook_id_id_idx" ON "webhook_deliveries" ("webhook_id", "id");

ALTER TABLE "webhook_delivery_attempts" RENAME TO "webhook_delivery_attempts_earlier";
ALTER TABLE "webhook_delivery_attempts_earlier" RENAME CONSTRAINT "webhook_delivery_attempts_pkey" TO "webhook_delivery_attempts_earlier_pkey";
CREATE TABLE "webhook_delivery_attempts" (LIKE "webhook_delivery_attempts_earlier" INCLUDING DEFAULTS) PARTITION BY RANGE ("delivery_id");
ALTER TABLE "webhook_delivery_attempts" ADD CONSTRAINT "webhook_delivery_attempts_pkey" PRIMARY KEY ("delivery_id", "attempt");

DO $$
DECLARE
  part record;
  bound text;
BEGIN
  FOR part IN VALUES ('webhook_deliveries', ' WITH (fillfactor = 60)'), ('webhook_delivery_attempts', '') LOOP
    SELECT substring(pg_get_constraintdef(oid) FROM '''(dlv_\w+)''') INTO STRICT bound
    FROM pg_constraint WHERE conname = part.column1 || '_earlier';
    EXECUTE format('ALTER TABLE %1$I ATTACH PARTITION %2$I FOR VALUES FROM (MINVALUE) TO (%3$L)', part.column1, part.column1 || '_earlier', bound);
    EXECUTE format('ALTER TABLE %1$I DROP CONSTRAINT %1$I', part.column1 || '_earlier');
    EXECUTE format('CREATE TABLE %1$I PARTITION OF %2$I FOR VALUES FROM (%3$L) TO (MAXVALUE)', part.column1 || '_later', part.column1, bound) || part.column2;
  END LOOP;
END $$;
