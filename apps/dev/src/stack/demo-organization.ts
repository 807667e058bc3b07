// The demo organisation's plan: enterprise, so that nobody who tries things out meets a limit.
import { findOrganization, setOrganization } from '@parley/server/organizations';
import { sqlOf } from '@parley/server/postgres';
import pg from 'pg';
import { DEMO_ORGANIZATION } from './api-keys.ts';

/**
 * Described once: what was changed since (`parley organizations set --org demo …`) stays. `url`:
 * the database of a service.
 */
export async function describeDemoOrganization(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const sql = sqlOf(client);
    if (await findOrganization(sql, DEMO_ORGANIZATION)) return;
    await setOrganization(sql, DEMO_ORGANIZATION, { name: 'Demo', plan: 'enterprise' }, Date.now());
  } finally {
    await client.end();
  }
}
