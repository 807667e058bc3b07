-- A service inserts into and reads the audit log, nothing else. The triggers also bind the owner of the table, which a
-- service is in simple set-ups; grants restrict all other roles. `trim_audit_log` deletes rows that are older than a year.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND TG_LEVEL = 'ROW' AND OLD.at < now() - interval '365 days' THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'rows of audit_log are added and read, and nothing else' USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE TRIGGER "audit_log_no_change" BEFORE UPDATE OR TRUNCATE ON "audit_log"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER "audit_log_no_delete" BEFORE DELETE ON "audit_log"
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
-- ALWAYS: a session cannot skip them with session_replication_role.
ALTER TABLE "audit_log" ENABLE ALWAYS TRIGGER "audit_log_no_change";
ALTER TABLE "audit_log" ENABLE ALWAYS TRIGGER "audit_log_no_delete";

-- Runs with the rights of the migrating role: the service needs no DELETE. Returns the number of deleted rows.
CREATE FUNCTION trim_audit_log(before timestamptz, rows_max integer) RETURNS integer
  LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH gone AS (
    DELETE FROM "audit_log" WHERE id IN (
      SELECT id FROM "audit_log" WHERE at < LEAST(before, now() - interval '365 days') ORDER BY at LIMIT rows_max)
    RETURNING 1)
  SELECT count(*)::integer FROM gone
$$;

DO $$
DECLARE other regrole;
BEGIN
  FOR other IN
    SELECT DISTINCT acl.grantee::regrole FROM pg_class, aclexplode(relacl) AS acl
    WHERE pg_class.oid = '"audit_log"'::regclass AND acl.grantee NOT IN (0, relowner)
  LOOP
    EXECUTE format('REVOKE ALL ON "audit_log" FROM %s', other);
    EXECUTE format('GRANT SELECT, INSERT ON "audit_log" TO %s', other);
  END LOOP;
END $$;
REVOKE ALL ON "audit_log" FROM PUBLIC;
-- The owner keeps DELETE for `trim_audit_log`.
REVOKE UPDATE, TRUNCATE ON "audit_log" FROM CURRENT_USER;
