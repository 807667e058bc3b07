// Starts the load of a run with everything it needs.
import type { Stack } from '@parley/dev/stack';
import type { Ledger } from './ledger.ts';
import { createClient } from './client.ts';
import { startCluster } from './cluster.ts';
import { createInboxWatch } from './inbox-watch.ts';
import { startLoad } from './load.ts';
import { prepare } from './prepare.ts';
import type { Receivers } from './receivers.ts';
import type { World } from './with-services.ts';

const DEVICES = 60;

/** `signal` stops the client, so that nothing waits for a dead service. */
export async function startWorkload(
  stack: Stack,
  receivers: Receivers,
  ledger: Ledger,
  { signal, clockFile }: Pick<World, 'signal' | 'clockFile'>,
) {
  const cluster = await startCluster(stack, ledger, clockFile);
  const client = createClient(cluster, ledger);
  signal.addEventListener('abort', () => client.giveUp(), { once: true });
  const prepared = await prepare(cluster, client, receivers, DEVICES);
  const inbox = createInboxWatch(ledger, client);
  const load = startLoad({ ledger, client, receivers, prepared, inbox });
  return { cluster, client, inbox, load, startedAtMs: Date.now() };
}
