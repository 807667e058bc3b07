// `parley keys …`: issues, lists and revokes keys directly in the table of a service's keys, so
// that an organisation gets its first key.
import { audit, operatorFor } from '@parley/server/audit';
import { issueApiKey, listApiKeys, revokeApiKey, type ApiKeyRecord } from '@parley/auth';
import { SCOPES, type Scope } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import { systemClock } from '@parley/server/runtime';
import type { CreateOptions } from './program.ts';
import { auditDeps, products } from './services.ts';

/** Keys per query. */
const PAGE = 100;

/** @throws Error that names an unknown scope. */
export async function createKey(sql: Sql, options: CreateOptions, expiresAtMs?: number) {
  const { key, record } = await issueApiKey(sql, {
    product: products[options.product],
    environment: options.environment,
    organizationId: options.org,
    name: options.name,
    scopes: parseScopes(options.scopes),
    createdBy: 'cli',
    expiresAt: expiresAtMs === undefined ? null : new Date(expiresAtMs),
    nowMs: systemClock(),
    id: auditDeps.ids('key'),
  });
  const { name, scopes, expiresAt } = record;
  const details = { name, scopes, expires_at: expiresAt };
  await audit(sql, auditDeps, operatorFor(options.org), {
    action: 'api_key.issued',
    target: record.id,
    details,
  });
  return { id: record.id, organization_id: record.organizationId, scopes: record.scopes, key };
}

/** @throws Error that names an unknown scope. */
export function parseScopes(list: string): Scope[] {
  return list.split(',').map((word) => {
    const scope = SCOPES.find((known) => known === word.trim());
    if (!scope) throw new Error(`"${word.trim()}" is not a scope: ${SCOPES.join(', ')}`);
    return scope;
  });
}

export async function* listKeys(sql: Sql, organizationId: string) {
  let before: string | null = null;
  for (;;) {
    const page: ApiKeyRecord[] = await listApiKeys(sql, organizationId, PAGE, before);
    for (const { id, name, display, scopes, expiresAt, createdBy } of page.slice(0, PAGE)) {
      yield { id, name, display, scopes, expires_at: expiresAt, created_by: createdBy };
      before = id;
    }
    if (page.length <= PAGE) return;
  }
}

export async function revokeKey(sql: Sql, organizationId: string, id: string): Promise<void> {
  await revokeApiKey(sql, organizationId, id, systemClock(), 'operator');
  await audit(sql, auditDeps, operatorFor(organizationId), { action: 'api_key.revoked', target: id });
}

/**
 * The ids of the keys that a person made (`sub` of their identity tokens), and of those that were
 * made with these keys.
 */
export async function findKeysOf(sql: Sql, organizationId: string, person: string): Promise<string[]> {
  const keys: { id: string; created_by: string }[] = [];
  for await (const key of listKeys(sql, organizationId)) keys.push(key);
  const makers = new Set([person]);
  for (let before = 0; before < makers.size;) {
    before = makers.size;
    for (const { id, created_by: maker } of keys) if (makers.has(maker)) makers.add(id);
  }
  makers.delete(person);
  return [...makers];
}
