// Checks at the end of a run what the APIs show: transcripts, ended conversations, clicks, bounces,
// publications and keys.
import { SERVICES } from '@parley/dev/stack';
import { eventually } from '@parley/testing';
import { readChannelStatus, toBouncingAddress } from './bounce.ts';
import type { Ledger } from './ledger.ts';
import type { Client } from './client.ts';
import type { Cluster } from './cluster.ts';
import type { Expected } from './load.ts';
import { FLOW_ID } from './prepare.ts';

/** A conversation is settled five seconds after its end. */
const ENDED_TIMEOUT_MS = 30_000;
/** Every replica knows a publication and a rotation within a second. */
const KNOWN_TIMEOUT_MS = 10_000;
/** Concurrent reads. */
const CONCURRENCY = 8;

/** Returns the conversations that did not end. */
export async function checkConversations(
  client: Client,
  ledger: Ledger,
  expected: Expected,
): Promise<string[]> {
  const waiting = [...expected.conversations.keys()];
  const notEnded: string[] = [];
  const read = async (path: string): Promise<Record<string, unknown>> => {
    const reply = await client.ask({ service: 'voice-api', method: 'GET', path });
    if (reply?.status !== 200) throw new Error(`GET ${path} is answered ${JSON.stringify(reply)}`);
    return (reply.body as { data: Record<string, unknown> }).data;
  };
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        const path = `/v1/conversations/${id}`;
        let status = 'unknown';
        const isOver = async (): Promise<boolean> => {
          status = String((await read(path))['status']);
          return status === 'completed';
        };
        const over = await eventually(isOver, { timeoutMs: ENDED_TIMEOUT_MS, intervalMs: 500 }).catch(
          () => false,
        );
        if (!over) notEnded.push(`${id}: ${status}`);
        const { turns } = (await read(`${path}/transcript`).catch(() => ({ turns: [] }))) as {
          turns: readonly { readonly text: string; readonly index: number }[];
        };
        const items = expected.conversations.get(id)!;
        const order = items
          .flatMap(({ texts }) => texts)
          .flatMap((text) => turns.find((turn) => turn.text === text)?.index ?? []);
        if (order.some((index, place) => index < (order[place - 1] ?? 0)))
          ledger.problem(`the transcript of ${id} is out of order: ${order.join()}`);
        for (const item of items) {
          if (item.texts.length === 0) {
            if (over) ledger.seen(item.kind, item.id, item.id);
            continue;
          }
          const places = item.texts.map((text) => turns.filter((turn) => turn.text === text));
          if (places.some((found) => found.length === 0)) continue;
          // A second place of the same text is a second turn, which no id would reveal.
          for (const { index } of places.reduce((most, found) => (found.length > most.length ? found : most)))
            ledger.seen(item.kind, item.id, String(index));
        }
      }
    }),
  );
  return notEnded;
}

/** A click is repeated until it is answered, and counts once. */
export async function checkClicks(client: Client, ledger: Ledger, expected: Expected): Promise<void> {
  for (const [id, notificationId] of expected.clicked) {
    const path = `/v1/notify/${notificationId}`;
    const reply = await client.persist({ service: 'notifications', method: 'GET', path });
    const { channels } = (reply?.body ?? { channels: [] }) as {
      channels: readonly { readonly clicks?: number }[];
    };
    const clicks = channels[0]?.clicks ?? 0;
    if (clicks > 0) ledger.seen('clicks', id, notificationId);
    if (clicks > 1) ledger.problem(`${id} is counted ${clicks} times`);
  }
}

/** The event is repeated until it is answered. It ends the delivery, and suppresses once. */
export async function checkBounces(client: Client, ledger: Ledger, expected: Expected): Promise<void> {
  for (const [id, notificationId] of expected.bounced) {
    const status = await readChannelStatus(client, notificationId);
    const path = `/v1/suppressions?email=${toBouncingAddress(id)}`;
    const reply = await client.persist({ service: 'notifications', method: 'GET', path });
    const { items } = (reply?.body ?? { items: [] }) as { items: readonly { readonly reason: string }[] };
    const reasons = items.map(({ reason }) => reason).join();
    if (status === 'bounced' && reasons === 'hard_bounce') ledger.seen('bounces', id, notificationId);
    else ledger.problem(`${id}: ${status}, suppressed for "${reasons}", although its bounce was answered`);
  }
}

export async function checkVersions(
  client: Client,
  ledger: Ledger,
  cluster: Cluster,
  expected: Expected,
): Promise<void> {
  const noted = new Set<number>();
  for (let cursor: string | null = null; ;) {
    const query = `limit=100${cursor === null ? '' : `&cursor=${cursor}`}`;
    const path = `/v1/flows/${FLOW_ID}/publications?${query}`;
    const reply = await client.persist({ service: 'flow-builder', method: 'GET', path });
    if (!reply) throw new Error('the log of publications cannot be read');
    const page = reply.body as { items: { version: number | null }[]; next_cursor: string | null };
    for (const { version } of page.items) {
      if (version === null || noted.has(version)) continue; // a repeated publication of the same version
      noted.add(version);
      ledger.seen('versions', String(version), String(version));
    }
    cursor = page.next_cursor;
    if (cursor === null) break;
  }
  for (const { as, service, origin } of cluster.replicas) {
    if (service !== 'flow-builder') continue;
    const path = `/product/v1/flows/${FLOW_ID}/execute`;
    const wanted = expected.published();
    await eventually(
      async () => {
        const reply = await client.ask({ service, method: 'POST', path, body: {}, origin });
        return (reply?.body as { version?: number } | null)?.version === wanted;
      },
      { timeoutMs: KNOWN_TIMEOUT_MS, intervalMs: 200 },
    ).catch(() => ledger.problem(`${as} does not execute version ${wanted}, which was published`));
  }
}

/** On every replica the newest key of each service works, and no older one. */
export async function checkKeys(
  client: Client,
  ledger: Ledger,
  cluster: Cluster,
  expected: Expected,
): Promise<void> {
  const path = '/v1/api-keys/me';
  for (const { as, service, origin } of cluster.replicas) {
    const statusOf = async (key: string, wants = 200) =>
      (await client.ask({ service, method: 'GET', path, key, origin, wants }))?.status;
    const { current, old } = expected.keys[service];
    await eventually(async () => (await statusOf(current.key)) === 200, {
      timeoutMs: KNOWN_TIMEOUT_MS,
    }).catch(() => ledger.problem(`${as} does not accept the key ${current.id}, which was answered`));
    for (const key of old) {
      const status = await statusOf(key, 401);
      if (status !== 401) ledger.problem(`${as} answers ${status} to a key that was rotated`);
    }
  }
}

/** Unacknowledged messages and waiting jobs; null while they cannot be read. */
export async function countUnfinishedWork(cluster: Cluster): Promise<number | null> {
  try {
    const counts = await Promise.all(
      SERVICES.map(async (service) => {
        const answer = await fetch(`${cluster.origins(service)[0]}/metrics`, {
          signal: AbortSignal.timeout(5_000),
        });
        const text = await answer.text();
        return [...text.matchAll(/^outbox_messages\{[^}]*state="unacknowledged"[^}]*\} (\S+)$/gm)].reduce(
          (sum, [, value]) => sum + Number(value),
          0,
        );
      }),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  } catch {
    return null;
  }
}
