// Measures what requests cost: repeats the slowest request of each operation alone, and reads how
// long the event loop stood still (`nodejs_eventloop_lag_max_seconds`, which each scrape resets).
import type { ServiceName } from '@parley/dev/stack';
import { sumMetric } from '../soak/slope.rules.ts';

export interface OperationCost {
  readonly operation: string;
  readonly slowestMs: number;
  /** About ten milliseconds come from the meter itself. */
  readonly blockMs: number;
}

export interface Costs {
  /** Records an answer's time, with a function that repeats the request. */
  note(operation: string, service: ServiceName, ms: number, again: () => Promise<unknown>): void;
  /** The most expensive operation first. */
  measure(): Promise<OperationCost[]>;
}

interface Slowest {
  readonly service: ServiceName;
  readonly ms: number;
  readonly again: () => Promise<unknown>;
}

export function createCosts(origins: Readonly<Record<ServiceName, string>>): Costs {
  const slowest = new Map<string, Slowest>();

  async function longestBlockMs(service: ServiceName): Promise<number> {
    const response = await fetch(`${origins[service]}/metrics`);
    return (sumMetric(await response.text(), 'nodejs_eventloop_lag_max_seconds') ?? 0) * 1000;
  }

  return {
    note: (operation, service, ms, again) => {
      if (ms > (slowest.get(operation)?.ms ?? 0)) slowest.set(operation, { service, ms, again });
    },
    measure: async () => {
      const costs: OperationCost[] = [];
      for (const [operation, { service, ms, again }] of slowest) {
        await longestBlockMs(service);
        await again().catch(() => undefined);
        costs.push({ operation, slowestMs: ms, blockMs: await longestBlockMs(service) });
      }
      return costs.sort((a, b) => b.blockMs - a.blockMs || b.slowestMs - a.slowestMs);
    },
  };
}
