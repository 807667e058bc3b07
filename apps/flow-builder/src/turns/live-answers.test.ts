import { expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import type { Gateways } from '../gateways/create-gateways.ts';
import { createLiveAnswers } from './live-answers.ts';

const CALL_MS = 60;
const WAIT_MS = 300;

test('a turn’s budget counts its model calls, and not other waits', async () => {
  const budgets: number[] = [];
  const classifier = {
    classify: async (_question: unknown, budgetMs: number) => {
      budgets.push(budgetMs);
      await delay(CALL_MS);
      return { kind: 'unavailable', reason: 'test' };
    },
  };
  const gateways = { classifier, extractor: null, agent: null } as unknown as Gateways;
  const { classify } = createLiveAnswers(gateways, {
    organizationId: 'acme',
    sessionId: null,
    budgetMs: 10_000,
  });
  await delay(WAIT_MS); // Postgres, or a thread
  await classify({} as never);
  await delay(WAIT_MS);
  await classify({} as never);
  expect(budgets[0]).toBe(10_000);
  expect(budgets[1]).toBeLessThanOrEqual(10_000 - CALL_MS + 5);
});
