// `filter` of a webhook: a condition of the flow language over `data` (docs/voice-api.md#webhooks). What it does not match is not told
// to the webhook; what cannot be judged is.
import { LRUCache } from 'lru-cache';
import {
  compileLoneCondition,
  TurnBudget,
  type AuthoredCondition,
  type ConditionTest,
} from '@parley/flow-engine';

export type WebhookFilter = AuthoredCondition;

const ALL: ConditionTest = () => true;
/** Compiled filters, by their text. */
const compiled = new LRUCache<string, ConditionTest>({ max: 1_000 });

export function passes(filter: WebhookFilter | null, data: Readonly<Record<string, unknown>>): boolean {
  if (filter === null) return true;
  const text = JSON.stringify(filter);
  let test = compiled.get(text);
  if (!test) {
    const condition = compileLoneCondition(filter);
    compiled.set(text, (test = condition.ok ? condition.test : ALL));
  }
  return test(data, new TurnBudget()) !== false;
}
