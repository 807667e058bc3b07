// The table of ways: what one request runs through, from its first byte to its last effect.
import type { ServiceName, Stack } from '@parley/dev/stack';
import { executeAim } from '../flow/execute.ts';
import { publishBenchFlow } from '../flow/measured-builder.ts';

/** Where the processes that are counted answer. */
export type Origins = Readonly<Partial<Record<ServiceName, string>>>;

export interface Way {
  readonly name: string;
  /** The services that it runs through. */
  readonly services: readonly ServiceName[];
  /**
   * Creates what the way needs, and returns one trip along it. A trip ends when its last effect is visible.
   */
  prepare(origins: Origins, stack: Stack): Promise<() => Promise<void>>;
}

const execute: Way = {
  name: 'execute',
  services: ['flow-builder'],
  prepare: async (origins, stack) => {
    const origin = origins['flow-builder']!;
    const headers = await publishBenchFlow(stack.services['flow-builder'].apiKey, origin);
    const { url, bodies, marker } = executeAim(origin, headers);
    return async () => {
      const response = await fetch(url, { method: 'POST', headers, body: bodies[0]! });
      const text = await response.text();
      if (!response.ok || !text.includes(marker)) throw new Error(`${url}: ${response.status} ${text}`);
    };
  },
};

export const ways: readonly Way[] = [execute];
