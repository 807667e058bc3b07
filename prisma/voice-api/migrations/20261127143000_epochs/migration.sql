-- Transaction ids go back after a restore or an asynchronous failover, so positions of feeds and
-- streams carry an epoch before them (docs/platform.md#epochs).
CREATE TABLE "database_epochs" (
  "number" INTEGER NOT NULL,
  "raised_at" TIMESTAMPTZ(3) NOT NULL,
  "system_identifier" TEXT NOT NULL,
  "timeline" INTEGER NOT NULL,
  "server" TEXT NOT NULL,
  CONSTRAINT "database_epochs_pkey" PRIMARY KEY ("number")
);

-- Cheap while the server stays the same one: its start and its timeline are in shared memory. The
-- timeline of pg_control_checkpoint() is old until the first checkpoint after a promotion. Without
-- the right to execute pg_control_system(), only the timeline and `parley restored` raise the epoch.
CREATE FUNCTION current_epoch() RETURNS INTEGER LANGUAGE plpgsql AS $$
DECLARE
  timeline_now TEXT := left(pg_walfile_name(pg_current_wal_insert_lsn()), 8);
  server_now TEXT := concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), timeline_now);
  identifier TEXT := '';
  known database_epochs;
BEGIN
  SELECT * INTO known FROM database_epochs ORDER BY number DESC LIMIT 1;
  IF known.server = server_now THEN
    RETURN known.number;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('database_epochs', 0));
  SELECT * INTO known FROM database_epochs ORDER BY number DESC LIMIT 1;
  IF known.server = server_now THEN
    RETURN known.number;
  END IF;
  IF has_function_privilege('pg_control_system()', 'execute') THEN
    SELECT system_identifier::text INTO identifier FROM pg_control_system();
  END IF;
  IF ('x' || timeline_now)::bit(32)::int <> known.timeline
    OR (identifier <> known.system_identifier AND '' NOT IN (identifier, known.system_identifier)) THEN
    INSERT INTO database_epochs
    VALUES (known.number + 1, clock_timestamp(), identifier, ('x' || timeline_now)::bit(32)::int, server_now);
    RETURN known.number + 1;
  END IF;
  UPDATE database_epochs SET server = server_now WHERE number = known.number;
  RETURN known.number;
END $$;

-- Positions so far have no epoch: this is number 0.
INSERT INTO database_epochs
SELECT 0, to_timestamp(0),
  CASE WHEN has_function_privilege('pg_control_system()', 'execute') THEN (SELECT system_identifier::text FROM pg_control_system()) ELSE '' END,
  ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int, '';
