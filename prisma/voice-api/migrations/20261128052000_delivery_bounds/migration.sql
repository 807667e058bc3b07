-- Deliveries and their attempts become partitioned by time, without a copy (docs/scale.md#a-table-that-exists).
-- First of three steps: what exists, and what is written within a week, is to lie before a bound. A short lock.
SET LOCAL lock_timeout = '5s';

DO $$
DECLARE
  -- The end of the next whole week: a deploy that stops half-way has seven days to be repeated.
  bound_ms bigint := (floor(extract(epoch FROM now()) / 604800) + 2) * 604800000;
  bound text := 'dlv_';
BEGIN
  FOR place IN REVERSE 9..0 LOOP -- the time of a ULID
    bound := bound || substr('0123456789abcdefghjkmnpqrstvwxyz', ((bound_ms >> (5 * place)) & 31)::int + 1, 1);
  END LOOP;
  EXECUTE format('ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_earlier" CHECK ("id" < %L) NOT VALID', bound);
  EXECUTE format('ALTER TABLE "webhook_delivery_attempts" ADD CONSTRAINT "webhook_delivery_attempts_earlier" CHECK ("delivery_id" < %L) NOT VALID', bound);
END $$;
