import { expect, test } from '@jest/globals';
import { createLog } from './log.ts';
import { capturedLog, eventually } from '@parley/testing';
import { createLifecycle } from './lifecycle.ts';
import { createEvery, firstAnswer, throttleLog, retryUntilSuccess, repeat } from './timing.ts';

test('throttleLog logs the first of many', () => {
  const said: number[] = [];
  const say = throttleLog((n: number) => said.push(n));
  for (const n of [1, 2, 3]) say(n);
  expect(said).toEqual([1]);
});

test('retryUntilSuccess retries until it succeeds', async () => {
  const failures: unknown[] = [];
  const attempt = async () => {
    if (failures.length < 3) throw new Error(`no ${failures.length}`);
    return 'yes';
  };
  const signal = new AbortController().signal;
  const result = await retryUntilSuccess(attempt, {
    everyMs: 1,
    signal,
    onFailure: (error) => failures.push(error),
  });
  expect([result, failures.length]).toEqual(['yes', 3]);
});

test('retryUntilSuccess ends on abort', async () => {
  const ending = new AbortController();
  const attempt = () => Promise.reject(new Error('never'));
  const trying = retryUntilSuccess(attempt, {
    everyMs: 60_000,
    signal: ending.signal,
    onFailure: () => undefined,
  });
  ending.abort();
  await expect(trying).resolves.toBeUndefined();
});

test('repeat continues after a failure, and close waits for the current round', async () => {
  const captured = capturedLog();
  const log = createLog({ service: 'test', level: 'info', destination: captured });
  let begun = 0;
  let ended = 0;
  const repeating = repeat({ everyMs: 1, firstAfterMs: 0, name: 'test.round', log }, async () => {
    begun += 1;
    await new Promise((resolve) => setTimeout(resolve, 10));
    ended += 1;
    throw new Error('a round failed');
  });
  await eventually(() => begun >= 3);
  await repeating.close();
  expect(ended).toBe(begun);
  expect(captured.lines()[0]).toMatchObject({ event: 'failure.ignored', why: 'test.round' });
});

test('tasks of a process end with it: after their round, or after a limited time', async () => {
  const log = createLog({ service: 'test', level: 'info', destination: capturedLog() });
  const life = createLifecycle(log);
  const [whole, limited, end] = [firstAnswer(), firstAnswer(), firstAnswer()];
  let ended = false;
  createEvery(life, log)('whole', 1, async () => {
    whole.now();
    await end.promise;
    ended = true;
  });
  createEvery(life, log, 1)('limited', 1, () => {
    limited.now();
    return new Promise(() => undefined);
  });
  await Promise.all([whole.promise, limited.promise]);
  const stopped = life.stop('test');
  end.now();
  expect(await stopped).toEqual({ clean: true });
  expect(ended).toBe(true);
});
