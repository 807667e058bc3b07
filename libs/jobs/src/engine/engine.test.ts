import { EventEmitter } from 'node:events';
import { expect, test } from '@jest/globals';
import type { Worker } from 'bullmq';
import { createLog } from '@parley/server/runtime';
import { capturedLog, eventually } from '@parley/testing';
import { toSchemaName } from './engine-postgres.ts';
import { watchWorker } from './engine.ts';

test('a worker with persistent errors pauses', async () => {
  const captured = capturedLog();
  const log = createLog({ service: 'test', level: 'info', destination: captured });
  const calls: string[] = [];
  const worker = Object.assign(new EventEmitter(), {
    name: 'push-sends',
    isPaused: () => calls.at(-1) === 'pause',
    pause: async () => void calls.push('pause'),
    resume: async () => void calls.push('resume'),
  });
  watchWorker(worker as unknown as Worker, log);
  for (let error = 0; error < 9; error += 1) worker.emit('error', new Error('out of memory'));
  expect(calls).toEqual([]);
  for (let error = 0; error < 20; error += 1) worker.emit('error', new Error('out of memory'));
  expect(calls).toEqual(['pause']);
  await eventually(() => calls.length === 2);
  expect(calls).toEqual(['pause', 'resume']);
  expect(captured.lines()).toHaveLength(1); // one log line, not thirty
});

test('every prefix has its own schema, with a name that Postgres does not cut', () => {
  const prefixes = ['parley', 'a-b', 'a_b', 'A_b', '1', 'x'.repeat(64), `${'x'.repeat(63)}y`];
  const schemas = prefixes.map(toSchemaName);
  expect(new Set(schemas).size).toBe(prefixes.length);
  for (const schema of schemas) expect(schema).toMatch(/^[A-Za-z_][A-Za-z0-9_$]{0,62}$/);
});
