// `filter` of a webhook: a condition of the flow language on `data` (docs/voice-api.md#webhooks).
// The webhook does not receive events that do not match; it receives events that cannot be
// evaluated.
import { LRUCache } from 'lru-cache';
import { compileLoneCondition, type AuthoredCondition, type ConditionTest } from '@parley/flow-analysis';
import { TurnBudget } from '@parley/flow-engine';

export type WebhookFilter = AuthoredCondition;

const ALL: ConditionTest = () => true;
/** Compiled filters by their JSON. */
const compiled = new LRUCache<string, ConditionTest>({ max: 1_000 });

export function matchesFilter(
  filter: WebhookFilter | null,
  data: Readonly<Record<string, unknown>>,
): boolean {
  if (filter === null) return true;
  const text = JSON.stringify(filter);
  let test = compiled.get(text);
  if (!test) {
    const condition = compileLoneCondition(filter);
    compiled.set(text, (test = condition.ok ? condition.test : ALL));
  }
  return test(data, new TurnBudget()) !== false;
}
