// The load of a run and everything that it needs.
import type { Stack } from '@parley/dev/stack';
import type { Book } from './book.ts';
import { createClient } from './client.ts';
import { startCluster } from './cluster.ts';
import { createInboxWatch } from './inbox-watch.ts';
import { startLoad } from './load.ts';
import { prepare } from './prepare.ts';
import type { Receivers } from './receivers.ts';

const DEVICES = 60;

/** `signal`: the client gives up, so that nothing waits for a service that is down. */
export async function startWorkload(
  stack: Stack,
  receivers: Receivers,
  book: Book,
  { signal }: { readonly signal: AbortSignal },
) {
  const cluster = await startCluster(stack, book);
  const client = createClient(cluster, book);
  signal.addEventListener('abort', () => client.giveUp(), { once: true });
  const prepared = await prepare(cluster, client, receivers, DEVICES);
  const inbox = createInboxWatch(book, client);
  const load = startLoad({ book, client, receivers, prepared, inbox });
  return { cluster, client, inbox, load, startedAtMs: Date.now() };
}
