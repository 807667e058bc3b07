// Reads the audit log of a test's database, oldest first: actor, action, target, details.
import pg from 'pg';

export async function readAuditLog(databaseUrl: string): Promise<[string, string, string, object][]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ row: [string, string, string, object] }>(
      'SELECT jsonb_build_array(actor, action, target, details) AS row FROM audit_log ORDER BY id',
    );
    return rows.map(({ row }) => row);
  } finally {
    await client.end();
  }
}
