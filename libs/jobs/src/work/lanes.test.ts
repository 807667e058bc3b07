// Lanes under any load: each entry is started or deferred once; no receiver exceeds its
// concurrency.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createLanes, computeLaneKey, type AttemptTiming, type LaneEntry } from './lanes.ts';
import { CONCURRENCY_MAX, DEFERRAL_MS_MAX } from './pacing.rules.ts';

const PAUSE_MS = 3_000;

interface Entry extends LaneEntry {
  readonly id: number;
}

function openLanes() {
  let nowMs = 1_000_000;
  const running = new Map<
    number,
    { entry: Entry; end: (ended: AttemptTiming | null) => void; startedAtMs: number }
  >();
  const started: Entry[] = [];
  const back: { entry: Entry; dueAtMs: number; inDoubt: boolean }[] = [];
  const lanes = createLanes<Entry>(() => nowMs, PAUSE_MS, {
    start: (entry) => {
      started.push(entry);
      return new Promise((end) => running.set(entry.id, { entry, end, startedAtMs: nowMs }));
    },
    defer: (entries, dueAtMs, inDoubt) => {
      for (const entry of entries) back.push({ entry, dueAtMs, inDoubt });
    },
  });
  return {
    lanes,
    started,
    back,
    now: () => nowMs,
    inFlight: (lane: string) =>
      [...running.values()].filter(({ entry }) => computeLaneKey(entry) === lane).length,
    /** Ends one that is in flight, if there is one. */
    end: async (nth: number, ended: Partial<AttemptTiming> | null) => {
      const [id, one] = [...running][nth % Math.max(1, running.size)] ?? [];
      if (id === undefined || !one) return;
      running.delete(id);
      one.end(ended && { ms: nowMs - one.startedAtMs, timedOut: false, ...ended });
      await new Promise((resolve) => setImmediate(resolve));
    },
    wait: (ms: number) => {
      nowMs += ms;
      lanes.tidy();
    },
  };
}

const receivers = fc.constantFrom('r1', 'r2', null);
const entry = fc.record({
  organizationId: fc.constantFrom('a', 'b'),
  receiver: receivers,
  retry: fc.boolean(),
});
const command = fc.oneof(
  { weight: 3, arbitrary: fc.record({ add: fc.array(entry, { minLength: 1, maxLength: 20 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({ end: fc.nat(40), ended: fc.constantFrom({}, { timedOut: true }, null) }),
  },
  { weight: 2, arbitrary: fc.record({ wait: fc.nat(4_000) }) },
);

test('any load: each entry is started or deferred once, in order, and within the pace of its receiver', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 40, size: 'max' }), async (commands) => {
      const open = openLanes();
      const added: Entry[] = [];
      for (const one of commands) {
        const backBefore = open.back.length;
        if ('add' in one) {
          const entries = one.add.map((each, index) => ({ ...each, id: added.length + index }));
          added.push(...entries);
          open.lanes.add(entries);
        } else if ('end' in one) await open.end(one.end, one.ended);
        else open.wait(one.wait);
        for (const lane of ['a r1', 'a r2', 'b r1', 'b r2'])
          expect(open.inFlight(lane)).toBeLessThanOrEqual(CONCURRENCY_MAX);
        const soonest = open.now();
        const due = open.back.slice(backBefore).map(({ dueAtMs }) => dueAtMs);
        expect(due.filter((ms) => ms <= soonest || ms > soonest + DEFERRAL_MS_MAX)).toEqual([]);
      }
      const fates = [...open.started, ...open.back.map((one) => one.entry), ...open.lanes.clear()];
      expect(fates.map(({ id }) => id).sort((a, b) => a - b)).toEqual(added.map(({ id }) => id));
      const ofNobody = (entries: readonly Entry[]) =>
        entries.filter(({ receiver }) => receiver === null).length;
      expect(ofNobody(open.started)).toBe(ofNobody(added));
      // First attempts keep their order within a lane.
      for (const lane of ['a r1', 'a r2', 'b r1', 'b r2']) {
        const first = open.started
          .filter((one) => computeLaneKey(one) === lane && !one.retry)
          .map(({ id }) => id);
        expect(first).toEqual([...first].sort((a, b) => a - b));
      }
    }),
    { numRuns: 60 },
  );
});

test('a hanging receiver delays neither others nor the same one of another organisation', async () => {
  const open = openLanes();
  const to = (organizationId: string, receiver: string) =>
    Array.from({ length: 30 }, (_, id) => ({
      organizationId,
      receiver,
      retry: false,
      id: id + open.started.length,
    }));
  open.lanes.add(to('a', 'r1'));
  open.wait(2_500);
  expect(open.back).toHaveLength(20);
  await open.end(0, { timedOut: true });
  expect(open.lanes.isFree('a r1')).toBe(false);
  for (const [organizationId, receiver] of [
    ['a', 'r2'],
    ['b', 'r1'],
  ] as const) {
    const before = open.started.length;
    open.lanes.add(to(organizationId, receiver));
    expect(open.started.length - before).toBe(CONCURRENCY_MAX);
  }
});

test('an entry that was not attempted says nothing about its receiver', async () => {
  const open = openLanes();
  const one = { organizationId: 'a', receiver: 'r', retry: false };
  open.lanes.add([{ ...one, id: 1 }]);
  open.wait(PAUSE_MS);
  await open.end(0, { timedOut: true });
  expect(open.lanes.isFree(computeLaneKey(one))).toBe(false);
  open.lanes.add([{ ...one, retry: true, id: 2 }]); // a retry ignores the pause
  await open.end(0, null);
  expect(open.lanes.isFree(computeLaneKey(one))).toBe(false);
  open.lanes.add([{ ...one, retry: true, id: 3 }]);
  await open.end(0, {});
  expect(open.lanes.isFree(computeLaneKey(one))).toBe(true);
});
