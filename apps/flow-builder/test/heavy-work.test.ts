// Heavy work on threads: a job beyond its bounds ends with its thread, the next one works, and
// organisations take turns.
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { createHeavyWork, type HeavyWork, type HeavyWorkOptions } from '../src/heavy/heavy-work.ts';

// Each test starts a thread from source on a busy machine.
jest.setTimeout(300_000);

let work: HeavyWork;
afterEach(() => work.close());
const start = (options: Partial<HeavyWorkOptions> = {}) =>
  (work = createHeavyWork({ withinMs: 300_000, waitMs: 300_000, ...options }));

const times = <T>(count: number, make: (place: number) => T): T[] =>
  Array.from({ length: count }, (_, place) => make(place));

const small = { nodes: [{ id: 'e', type: 'end' }], edges: [] };
const validation = (definition: object) => ({
  definition,
  flowId: null,
  called: {},
  stepsMax: 200,
  allowedOrigins: [],
});
const quick = async (organizationId: string) =>
  (await work.run(organizationId, 'validate', validation(small))).validation;

/** Graphviz needs minutes to lay this out. The edges are pseudo-random, the same in every run. */
let state = 1;
const anywhere = () => (state = (state * 48_271) % 2_147_483_647) % 200;
const tangled = {
  nodes: times(200, (place) => ({ id: `n${place}`, type: 'branch' })),
  edges: times(400, (place) => ({
    source: `n${(place * 7) % 200}`,
    target: `n${anywhere()}`,
    label: `edge ${place}`,
  })),
};
const endless = (organizationId: string) =>
  work.run(organizationId, 'draw', { definition: tangled, format: 'svg' });

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: { code?: string }) => error.code,
  );

const deadlineMs = 300;

describe('a job that is past its bounds', () => {
  test('the deadline ends the job with its thread, and the next job gets a thread', async () => {
    start({ threads: 1, deadlineMs });
    await expect(endless('a')).rejects.toMatchObject({
      code: 'request_too_costly',
      details: { cost: 'time' },
    });
    await expect(quick('a')).resolves.toMatchObject({ valid: true });
  });

  test('a job that the machine has no time for is unavailable, not too costly', async () => {
    start({ threads: 1, deadlineMs: 60_000, withinMs: 1_000 });
    await expect(endless('a')).rejects.toMatchObject({
      code: 'unavailable',
      headers: { 'retry-after': expect.any(String) },
    });
  });

  test('the heap limit ends the job with its thread, and the next job gets a thread', async () => {
    start({ threads: 1, heapMb: 64, deadlineMs: 15_000 });
    // Many small objects: V8 ends the process when a single allocation is far beyond the heap.
    const large = { ...small, notes: times(700_000, () => ({ a: [], b: [] })) };
    await expect(work.run('a', 'validate', validation(large))).rejects.toMatchObject({
      code: 'request_too_costly',
      details: { cost: 'memory' },
    });
    await expect(quick('a')).resolves.toMatchObject({ valid: true });
  });

  test('an error of a job is the same as on the main thread', async () => {
    start();
    await expect(work.run('a', 'validate', validation({ nodes: 1 }))).rejects.toMatchObject({
      code: 'invalid_request',
      fields: [{ path: '/definition/nodes' }],
    });
  });
});

describe('the queue', () => {
  test('an organisation has one thread, and others do not wait for it', async () => {
    start({ deadlineMs: 10 * deadlineMs });
    const first = code(endless('a'));
    const second = code(endless('a'));
    await expect(quick('b')).resolves.toMatchObject({ valid: true });
    await work.close();
    expect(await Promise.all([first, second])).not.toContain('done');
  });

  test('organisations take turns, however many jobs one of them has', async () => {
    start({ threads: 1 });
    const order: string[] = [];
    const jobs = ['a', 'a', 'a', 'a', 'b'].map((name) => quick(name).then(() => order.push(name)));
    await Promise.all(jobs);
    expect(order.indexOf('b')).toBeLessThanOrEqual(2);
  });

  test('a job that waits too long is unavailable with Retry-After', async () => {
    start({ threads: 1, deadlineMs, waitMs: 100 });
    const running = code(endless('a'));
    await expect(quick('b')).rejects.toMatchObject({
      code: 'unavailable',
      headers: { 'retry-after': expect.any(String) },
    });
    expect(await running).toBe('request_too_costly');
    await expect(quick('b')).resolves.toMatchObject({ valid: true });
  });

  test('eight jobs of one organisation may wait, and 64 of all', async () => {
    start({ threads: 1, deadlineMs, waitMs: 100 });
    const jobs = times(10, () => code(quick('a')));
    const others = times(64, (place) => code(quick(`o${place}`)));
    const codes = await Promise.all(jobs);
    expect(codes.at(-1)).toBe('concurrency_limited');
    expect((await Promise.all(others)).at(-1)).toBe('unavailable');
  });
});
