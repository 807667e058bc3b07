// Empties the audit log, which only the owner of the table can do.

export async function emptyAuditLog(sql: (text: string) => Promise<unknown>): Promise<void> {
  await sql(`DO $$ BEGIN
    ALTER TABLE audit_log DISABLE TRIGGER USER;
    TRUNCATE audit_log;
    ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_no_change;
    ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_no_delete;
  END $$`);
}
