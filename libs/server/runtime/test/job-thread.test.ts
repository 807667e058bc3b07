// A job is bounded by its processor time, not by its waiting.
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { JobLate, JobTooCostly, startJobThread, type JobThread } from '../src/job-thread.ts';
import type { FixtureJob } from './fixture-thread.ts';

const WITHIN_MS = 60_000;
let thread: JobThread<FixtureJob, string>;
beforeEach(() => {
  thread = startJobThread({ program: join(import.meta.dirname, 'fixture-thread.ts'), heapMb: 64 });
});
afterEach(() => thread.close());

test('a job may wait longer than its processor time', async () => {
  const bounds = { cpuMs: 200, withinMs: WITHIN_MS };
  expect(await thread.work({ sleepMs: 1_000 }, bounds)).toBe('done');
  expect(thread.cpuMs).toBeLessThan(200);
  expect(await thread.work({ spinMs: 20 }, bounds)).toBe('done');
}, 60_000);

test('a job that uses more ends with its thread, whatever time has passed', async () => {
  const work = thread.work({ spinMs: WITHIN_MS }, { cpuMs: 200, withinMs: WITHIN_MS });
  await expect(work).rejects.toBeInstanceOf(JobTooCostly);
  expect(thread.dead).toBe(true);
  expect(thread.cpuMs).toBeGreaterThanOrEqual(200);
}, 60_000);

test('a job that is not done in time is late, not too costly', async () => {
  const work = thread.work({ sleepMs: WITHIN_MS }, { cpuMs: 200, withinMs: 500 });
  await expect(work).rejects.toBeInstanceOf(JobLate);
}, 60_000);
