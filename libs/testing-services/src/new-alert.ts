// An alert of an organisation, for tests that need one of every resource.
import { randomBytes } from 'node:crypto';
import type { Platform } from '@parley/platform';

/** Returns its id. */
export async function newAlert({ sql }: Pick<Platform, 'sql'>, organizationId: string): Promise<string> {
  const id = `alt_${randomBytes(16).toString('hex')}`;
  await sql(
    `INSERT INTO alerts (id, organization_id, kind, subject, message, opened_at, last_raised_at)
     VALUES ($1, $2, 'clock_off', $1, 'A test raised it.', now(), now())`,
    [id, organizationId],
  );
  return id;
}
