-- Second of three steps: reads every row, while everybody reads and writes.
ALTER TABLE "webhook_deliveries" VALIDATE CONSTRAINT "webhook_deliveries_earlier";
ALTER TABLE "webhook_delivery_attempts" VALIDATE CONSTRAINT "webhook_delivery_attempts_earlier";
