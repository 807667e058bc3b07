import { expect, test } from '@jest/globals';
import { capturedLog } from '@parley/testing';
import { createLifecycle, STOP_DEADLINE_MS } from './lifecycle.ts';
import { createLog } from './log.ts';

function lifecycle(deadlineMs?: number) {
  const captured = capturedLog();
  const log = createLog({ service: 'x', level: 'info', destination: captured });
  return { life: createLifecycle(log, deadlineMs), captured };
}

test('stops run one after the other, the last started first', async () => {
  const { life, captured } = lifecycle();
  const done: string[] = [];
  for (const name of ['redis', 'database', 'http']) {
    life.onStop(name, async () => {
      await new Promise(setImmediate);
      done.push(name);
    });
  }
  expect(await life.stop('SIGTERM')).toEqual({ clean: true });
  expect(done).toEqual(['http', 'database', 'redis']);
  expect(captured.with('service.stopped')).toEqual([
    expect.objectContaining({ reason: 'SIGTERM', clean: true }),
  ]);
});

test('a failed step, synchronous or not, is logged and the next one still runs', async () => {
  const { life, captured } = lifecycle();
  const done: string[] = [];
  life.onStop('redis', () => void done.push('redis'));
  life.onStop('database', () => Promise.reject(new Error('away')));
  life.onStop('http', () => {
    throw new Error('never listened');
  });
  expect(await life.stop('SIGTERM')).toEqual({ clean: false });
  expect(done).toEqual(['redis']);
  expect(captured.with('service.stop_failed').map((line) => line['step'])).toEqual(['http', 'database']);
});

test('a hanging step ends at the deadline, and the next ones still run', async () => {
  const { life, captured } = lifecycle(30);
  const done: string[] = [];
  life.onStop('redis', () => void done.push('redis'));
  life.onStop('workers', () => new Promise(() => undefined));
  life.onStop('http', () => new Promise(() => undefined));
  expect(await life.stop('SIGTERM')).toEqual({ clean: false });
  expect(done).toEqual(['redis']);
  expect(captured.with('service.stop_failed')).toEqual([
    expect.objectContaining({
      step: 'http',
      err: expect.objectContaining({ message: expect.stringMatching(/^no answer within \d+/) }),
    }),
    expect.objectContaining({ step: 'workers' }),
  ]);
});

test('stopping twice is stopping once', async () => {
  const { life, captured } = lifecycle();
  let stops = 0;
  life.onStop('http', () => void (stops += 1));
  const both = await Promise.all([life.stop('SIGTERM'), life.stop('start failed')]);
  expect(both).toEqual([{ clean: true }, { clean: true }]);
  expect(stops).toBe(1);
  expect(captured.with('service.stopping')).toHaveLength(1);
});

test('what starts while stopping is stopped as well', async () => {
  const { life } = lifecycle();
  const done: string[] = [];
  life.onStop('http', () => {
    life.onStop('late', () => void done.push('late'));
  });
  await life.stop('SIGTERM');
  expect(done).toEqual(['late']);
});

test('the deadline leaves room within the 30 s of Kubernetes', () => {
  expect(STOP_DEADLINE_MS).toBe(25_000);
});
