// The part of the load that changes what services work with: publishes versions and rotates keys
// while both are in use, one at a time.
import { SERVICES, type ServiceName } from '@parley/dev/stack';
import type { Ledger } from './ledger.ts';
import type { Client } from './client.ts';
import { FLOW_ID, buildDefinition, type IssuedKey, type Prepared } from './prepare.ts';

export interface Author {
  /** Appends a version and publishes it. */
  publish(): Promise<void>;
  rotate(service: ServiceName): Promise<void>;
  /** The newest version with an answered publication. */
  published(): number;
  readonly keys: Readonly<
    Record<ServiceName, { readonly current: IssuedKey; readonly old: readonly string[] }>
  >;
}

export function createAuthor(ledger: Ledger, client: Client, prepared: Prepared): Author {
  const keys = Object.fromEntries(
    SERVICES.map((service) => [service, { current: prepared.keys[service], old: [] as string[] }]),
  ) as Record<ServiceName, { current: IssuedKey; old: string[] }>;
  let published = 1;

  async function publish(): Promise<void> {
    const version = published + 1;
    const id = String(version);
    const sentAtMs = Date.now();
    const service = 'flow-builder';
    const path = `/v1/flows/${FLOW_ID}`;
    // Only this load appends, so a 412 means that an attempt without an answer succeeded.
    const append = { definition: buildDefinition(id), base_version: published };
    if (!(await client.persist({ service, method: 'PATCH', path, body: append }, [412]))) return;
    ledger.sent('versions', id, sentAtMs);
    const body = { version };
    if (!(await client.persist({ service, method: 'POST', path: `${path}/publish`, body }))) return;
    ledger.accepted('versions', id);
    published = version;
  }

  /** The successor must work immediately on any replica. check-apis.ts checks the old key. */
  async function rotate(service: ServiceName): Promise<void> {
    const { current, old } = keys[service];
    const id = `${service}|${current.id}`;
    ledger.sent('keys', id);
    const reply = await client.persist({
      service,
      method: 'POST',
      path: `/v1/api-keys/${current.id}/rotate`,
      body: { grace_seconds: 0 },
      idempotencyKey: `rotate-${current.id}`,
    });
    if (!reply) return;
    const answered = reply.body as IssuedKey & { data?: IssuedKey };
    const successor = answered.data ?? answered;
    ledger.accepted('keys', id);
    old.push(current.key);
    keys[service].current = successor;
    const { key } = successor;
    const works = await client.persist({ service, method: 'GET', path: '/v1/api-keys/me', key });
    if (works) ledger.seen('keys', id, successor.id);
  }

  return { publish, rotate, published: () => published, keys };
}
