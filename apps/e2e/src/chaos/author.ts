// The part of the load that changes what the services work with: versions are published while they are executed, keys are rotated
// while they are used. Of each, one after the other.
import { SERVICES, type ServiceName } from '@parley/dev/stack';
import type { Book } from './book.ts';
import type { Client } from './client.ts';
import { FLOW_ID, definitionOf, type IssuedKey, type Prepared } from './prepare.ts';

export interface Author {
  /** Appends a version and publishes it. */
  publish(): Promise<void>;
  rotate(service: ServiceName): Promise<void>;
  /** The newest version whose publication was answered. */
  published(): number;
  readonly keys: Readonly<
    Record<ServiceName, { readonly current: IssuedKey; readonly old: readonly string[] }>
  >;
}

export function createAuthor(book: Book, client: Client, prepared: Prepared): Author {
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
    // Nobody else appends, so a 412 says that an attempt without an answer has been made.
    const append = { definition: definitionOf(id), base_version: published };
    if (!(await client.persist({ service, method: 'PATCH', path, body: append }, [412]))) return;
    book.sent('versions', id, sentAtMs);
    const body = { version };
    if (!(await client.persist({ service, method: 'POST', path: `${path}/publish`, body }))) return;
    book.accepted('versions', id);
    published = version;
  }

  /** The successor must work at once, on any replica; that the old one does not is looked at in the end. */
  async function rotate(service: ServiceName): Promise<void> {
    const { current, old } = keys[service];
    const id = `${service}|${current.id}`;
    book.sent('keys', id);
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
    book.accepted('keys', id);
    old.push(current.key);
    keys[service].current = successor;
    const { key } = successor;
    const works = await client.persist({ service, method: 'GET', path: '/v1/api-keys/me', key });
    if (works) book.seen('keys', id, successor.id);
  }

  return { publish, rotate, published: () => published, keys };
}
