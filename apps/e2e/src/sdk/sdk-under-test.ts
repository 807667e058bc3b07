// Starts the built services behind a flaky proxy, with an SDK client for them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startStack, type Stack } from '@parley/dev/stack';
import { Parley } from '@parley/sdk';
import { startFlakyProxy, type FlakyProxy } from './flaky-proxy.ts';

export const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

export interface SdkUnderTest {
  readonly parley: Parley;
  readonly stack: Stack;
  readonly flows: FlakyProxy;
  readonly voice: FlakyProxy;
  readonly inbox: FlakyProxy;
  stop(): Promise<void>;
}

/** `name` prefixes the queues, so that test files do not share them. */
export async function startSdkUnderTest(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<SdkUnderTest> {
  const home = mkdtempSync(join(tmpdir(), `parley-${name}-`));
  const stack = await startStack({
    root: ROOT,
    home,
    released: true,
    throwaway: true,
    env: { PATH: env['PATH'], QUEUE_PREFIX: `${name}-${process.pid}` },
  });
  const { 'flow-builder': builder, 'voice-api': voiceApi, notifications } = stack.services;
  const [flows, voice, inbox] = await Promise.all(
    [builder, voiceApi, notifications].map(({ origin }) => startFlakyProxy(origin)),
  );
  const parley = new Parley({
    flowBuilder: { url: flows!.url, key: builder.apiKey },
    voiceApi: { url: `${voice!.url}/v1`, key: async () => voiceApi.apiKey },
    notifications: { url: `${inbox!.url}/`, key: notifications.apiKey },
  });
  return {
    parley,
    stack,
    flows: flows!,
    voice: voice!,
    inbox: inbox!,
    stop: async () => {
      await Promise.all([flows, voice, inbox].map((proxy) => proxy!.close()));
      await stack.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
