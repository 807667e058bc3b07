// The monthly budget of an organisation, as this replica knows it
// (docs/providers.md#monthly-budget).
import type { Clock } from '@parley/server/runtime';
import type { MonthCost } from './usage-table.ts';

/** The share of the budget at which the organisation is warned. */
export const LOW_FROM = 0.8;

export type BudgetLevel = 'low' | 'used_up';

export interface Budget {
  /** Per month of UTC, in the currency of the prices. */
  readonly monthly: number;
  /** Whether no more models may be called in this month. */
  isUsedUp(): boolean;
  /** What a call reported last. Calls of other replicas are part of it. */
  record(cost: MonthCost): void;
}

export interface BudgetOptions {
  readonly monthly: number;
  readonly clock: Clock;
  /** As stored when the settings were loaded. */
  readonly cost: MonthCost;
  /** Called when a level is reached, once for each month and load of the settings. */
  readonly onLevel: (level: BudgetLevel, cost: MonthCost) => void;
}

export function createBudget({ monthly, clock, cost: stored, onLevel }: BudgetOptions): Budget {
  let latest: MonthCost = { month: '', cost: 0 };
  let reported: BudgetLevel | null = null;

  function record(cost: MonthCost): void {
    // Concurrent calls report in any order.
    if (cost.month < latest.month || (cost.month === latest.month && cost.cost <= latest.cost)) return;
    if (cost.month !== latest.month) reported = null;
    latest = cost;
    const level = toLevel(cost.cost, monthly);
    if (level === null || level === reported) return;
    reported = level;
    onLevel(level, cost);
  }

  record(stored);
  return {
    monthly,
    record,
    isUsedUp: () => latest.month === toMonth(clock()) && toLevel(latest.cost, monthly) === 'used_up',
  };
}

function toLevel(cost: number, monthly: number): BudgetLevel | null {
  if (cost >= monthly) return 'used_up';
  return cost >= monthly * LOW_FROM ? 'low' : null;
}

/** Such as `2026-11`, of UTC. */
export const toMonth = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 7);
