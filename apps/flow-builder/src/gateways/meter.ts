// Counts what the model calls of one turn take: for each answer, for the turn, and for the month of
// the organisation (docs/providers.md#tokens-and-cost).
import { addModelUsage, type ModelUsage } from '@parley/flow-analysis';
import type { Log } from '@parley/server/runtime';
import type { Usage } from './completion.ts';

/** Per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

export interface Meter {
  /** Of the request, for the spans of the calls. */
  readonly traceparent?: string | undefined;
  /** Counts one answer of the provider. Never throws. */
  count(usage: ModelUsage): Promise<void>;
  /** Usage since the last call of `take`; undefined when no provider answered. */
  take(): ModelUsage | undefined;
  total(): ModelUsage | undefined;
}

/** What the model calls of one turn have in common. */
export interface ModelTurn {
  readonly meter?: Meter | undefined;
  /** The model that the flow names, for every use. */
  readonly model?: string | null | undefined;
}

export interface MeterOptions {
  readonly traceparent?: string | undefined;
  readonly log: Log;
  /** Adds to the month of the organisation. */
  readonly store: (usage: ModelUsage) => Promise<unknown>;
}

export function createMeter({ log, store, traceparent }: MeterOptions): Meter {
  let total: ModelUsage | undefined;
  let untaken: ModelUsage | undefined;
  return {
    traceparent,
    count: async (usage) => {
      total = add(total, usage);
      untaken = add(untaken, usage);
      // The answer is there and paid for, so a database that is away must not lose it.
      await store(usage).catch((error: unknown) => log.error({ err: error, ...usage }, 'model_usage.lost'));
    },
    take: () => {
      const taken = untaken;
      untaken = undefined;
      return taken;
    },
    total: () => total,
  };
}

/** The cost is null without a price, or where the provider counts no tokens: never a guess. */
export function toModelUsage({ tokensIn, tokensOut }: Usage, price: Price | null | undefined): ModelUsage {
  const isKnown = price != null && tokensIn + tokensOut > 0;
  const cost = isKnown ? (tokensIn * price.input + tokensOut * price.output) / 1_000_000 : null;
  return { calls: 1, tokens_in: tokensIn, tokens_out: tokensOut, cost };
}

const add = (before: ModelUsage | undefined, usage: ModelUsage): ModelUsage =>
  before === undefined ? usage : addModelUsage(before, usage);
