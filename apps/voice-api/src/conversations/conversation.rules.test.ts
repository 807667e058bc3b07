// The state machine: every transition, the emitted events, and independence of the order of
// arrival.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type {
  Conversation,
  Emission,
  ReportedEvent,
  Utterance,
  Turn,
} from '../conversation-model/conversation.ts';
import { computeEventId } from '../deliveries/event-id.ts';
import { planDeliveries } from '../deliveries/plan-deliveries.rules.ts';
import { foldEvents, settle, TURN_EVENTS_MAX } from './conversation.rules.ts';
import { reapAt, REAP_GRACE_MS } from './reaper.rules.ts';
import { END_REASONS, nextStatus, replay, STATUSES } from '../conversation-model/states.rules.ts';

const NOW = 1_000_000;
const SETTLE = 5_000;

const fresh: Conversation = {
  organizationId: 'acme',
  id: 'c',
  botId: null,
  status: 'initiated',
  channel: null,
  direction: null,
  from: null,
  to: null,
  language: null,
  flowId: null,
  flowVersion: null,
  metadata: {},
  startedAt: null,
  endedAt: null,
  durationSeconds: null,
  endReason: null,
  endDetail: null,
  endedBy: null,
  error: null,
  cost: null,
  recordingUrl: null,
  turnCount: 0,
  revision: 0,
  bytes: 0,
  bytesMax: 10_000,
  truncated: false,
  transcriptReady: false,
  announcedRevision: null,
  facts: {},
  sequence: 0,
  startSent: false,
  endSent: false,
  counted: false,
  settledAt: null,
  dueAt: null,
  removed: [],
  createdAt: NOW,
};

const toUtterance = (turnIndex: number, text: string): Utterance => ({
  turnIndex,
  text,
  startMs: null,
  endMs: null,
  confidence: null,
  interrupted: false,
  language: null,
  words: null,
  metrics: null,
  flow: { flowId: null, flowVersion: null, turn: null, nodeId: null },
  bytes: 10,
});
const common = (id: string, at: number) => ({ id, at, conversationId: 'c', botId: null });
const started = (id: string, at: number, from: string | null = null): ReportedEvent => ({
  ...common(id, at),
  type: 'conversation.started',
  description: {
    channel: 'phone',
    direction: null,
    from,
    to: null,
    language: null,
    flowId: null,
    flowVersion: null,
    metadata: {},
  },
});
const final = (id: string, at: number, turnIndex: number, text = id): ReportedEvent => ({
  ...common(id, at),
  type: 'speech.final',
  utterance: toUtterance(turnIndex, text),
});
const bot = (id: string, at: number, turnIndex: number): ReportedEvent => ({
  ...common(id, at),
  type: 'bot.message',
  utterance: toUtterance(turnIndex, id),
});
const tool = (id: string, at: number, turnIndex: number): ReportedEvent => ({
  ...common(id, at),
  type: at % 2 === 0 ? 'tool.called' : 'tool.returned',
  utterance: toUtterance(turnIndex, id),
});
const interim = (id: string, at: number, turnIndex: number): ReportedEvent => ({
  ...common(id, at),
  type: 'speech.interim',
  utterance: toUtterance(turnIndex, id),
});
const ended = (
  id: string,
  at: number,
  reason: (typeof END_REASONS)[number] = 'user_hangup',
  durationSeconds: number | null = null,
): ReportedEvent => ({
  ...common(id, at),
  type: 'conversation.ended',
  end: { reason, detail: null, by: 'user', durationSeconds },
});
const error = (id: string, at: number, fatal = true): ReportedEvent => ({
  ...common(id, at),
  type: 'conversation.error',
  fatal,
  code: 'broken',
  message: id,
});
const ready = (id: string, at: number): ReportedEvent => ({
  ...common(id, at),
  type: 'transcript.ready',
  details: {},
});

/** An in-memory stand-in for apply-events.ts. */
function world() {
  let conversation = fresh;
  const seen = new Set<string>();
  const turns = new Map<string, Turn>();
  const emissions: Emission[] = [];
  let counted = 0;
  const keep = (folded: ReturnType<typeof settle>) => {
    for (const turn of folded.turns) {
      const key = `${turn.role} ${turn.turnIndex}`;
      const known = turns.get(key);
      if (!known || turn.at > known.at || (turn.at === known.at && turn.eventId > known.eventId))
        turns.set(key, turn);
    }
    emissions.push(...folded.emissions);
    if (folded.count) counted += 1;
    conversation = { ...folded.conversation, turnCount: turns.size };
    return folded;
  };
  return {
    take: (...events: ReportedEvent[]) => {
      const news = [...new Map(events.map((one) => [one.id, one])).values()].filter(
        ({ id }) => !seen.has(id),
      );
      for (const { id } of news) seen.add(id);
      return keep(foldEvents(conversation, news, NOW, SETTLE));
    },
    settle: (nowMs = NOW + SETTLE) => keep(settle(conversation, nowMs)),
    get conversation() {
      return conversation;
    },
    get sent() {
      return emissions.map(({ type }) => type);
    },
    get emissions() {
      return emissions;
    },
    get counted() {
      return counted;
    },
    /** The visible final state, without the traces of how it came about. */
    final: () => {
      const { sequence: _, announcedRevision: __, startSent: ___, ...rest } = conversation;
      return {
        ...rest,
        turns: [...turns.values()].sort((a, b) => a.turnIndex - b.turnIndex || a.role.localeCompare(b.role)),
      };
    },
  };
}

describe('the state machine', () => {
  test('has exactly these transitions', () => {
    const triggers = ['start', 'end', 'fail', 'complete', 'no_answer', 'busy', 'canceled'] as const;
    const legal = triggers.flatMap((trigger) =>
      STATUSES.flatMap((status) => {
        const next = nextStatus(status, trigger);
        return next ? [`${status} -${trigger}-> ${next}`] : [];
      }),
    );
    expect(legal).toEqual([
      'initiated -start-> in_progress',
      'initiated -end-> processing',
      'in_progress -end-> processing',
      'initiated -fail-> failed',
      'in_progress -fail-> failed',
      'processing -fail-> failed',
      'processing -complete-> completed',
      'initiated -no_answer-> no_answer',
      'in_progress -no_answer-> no_answer',
      'initiated -busy-> busy',
      'in_progress -busy-> busy',
      'initiated -canceled-> canceled',
      'in_progress -canceled-> canceled',
    ]);
  });

  test.each([
    ['nothing yet', {}, 'initiated'],
    ['a start', { started: { at: 1, id: 'a' } }, 'in_progress'],
    [
      'an error after the transcript was ready',
      { ended: endFact(2), ready: { at: 3, id: 'r' }, fatal: failFact(4) },
      'completed',
    ],
    [
      'an error before the transcript was ready',
      { ended: endFact(2), fatal: failFact(3), ready: { at: 4, id: 'r' } },
      'failed',
    ],
    ['an end after an error', { fatal: failFact(2), ended: endFact(3), ready: { at: 4, id: 'r' } }, 'failed'],
    [
      'a transcript that is ready before the end',
      { ready: { at: 1, id: 'r' }, ended: endFact(2) },
      'completed',
    ],
  ] as const)('%s', (_, facts, status) => {
    expect(replay(facts).status).toBe(status);
  });

  function endFact(at: number) {
    return { at, id: 'e', reason: 'user_hangup', detail: null, by: 'user', durationSeconds: null } as const;
  }
  function failFact(at: number) {
    return { at, id: 'f', code: 'broken', message: '' };
  }
});

describe('a conversation', () => {
  test('that completes goes through its states and emits events with a rising sequence', () => {
    const call = world();
    expect(call.take(started('s', 1_000)).conversation).toMatchObject({
      status: 'in_progress',
      startedAt: 1_000,
    });
    call.take(interim('i', 1_500, 0), final('f', 2_000, 0), bot('b', 3_000, 1));
    expect(call.take(ended('e', 61_000)).conversation).toMatchObject({
      status: 'processing',
      durationSeconds: 60,
      dueAt: NOW + SETTLE,
    });
    expect(call.settle().conversation).toMatchObject({
      status: 'completed',
      settledAt: NOW + SETTLE,
      dueAt: null,
    });
    expect(call.sent).toEqual([
      'conversation.started',
      'speech.interim',
      'speech.final',
      'bot.message',
      'conversation.ended',
      'transcript.ready',
    ]);
    expect(call.emissions.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(call.counted).toBe(1);
  });

  test('completes immediately when the runtime reports the transcript, and announces it once', () => {
    const call = world();
    call.take(started('s', 1), final('f', 2, 0), ended('e', 3), ready('r', 4));
    expect(call.conversation).toMatchObject({ status: 'completed', transcriptReady: true });
    call.settle();
    expect(call.sent.filter((type) => type === 'transcript.ready')).toHaveLength(1);
    expect(call.counted).toBe(1);
  });

  test('announces a new revision for a turn after it is final, and keeps its state', () => {
    const call = world();
    call.take(started('s', 1), final('f', 2, 0), ended('e', 3));
    call.settle();
    const late = call.take(final('late', 2, 1));
    expect(late.emissions.map(({ type }) => type)).toEqual(['speech.final', 'transcript.ready']);
    expect(call.conversation).toMatchObject({ status: 'completed', revision: 2, announcedRevision: 2 });
    expect(call.take(final('late', 2, 1)).emissions).toEqual([]);
  });

  test('ignores other late events and emits nothing', () => {
    const call = world();
    call.take(started('s', 1), ended('e', 3));
    call.settle();
    const late = call.take(
      error('x', 2),
      error('y', 2, false),
      ended('e2', 2),
      interim('i', 2, 0),
      ready('r', 2),
    );
    expect([...late.ignored].sort()).toEqual(['e2', 'i', 'r', 'x', 'y']);
    expect(late.emissions).toEqual([]);
    expect(call.conversation.status).toBe('completed');
  });

  test('takes the caller from a late start and emits it once', () => {
    const call = world();
    call.take(ended('e', 61_000));
    call.settle();
    const late = call.take(started('s', 1_000, '+1555'));
    expect(late.emissions).toMatchObject([
      { type: 'conversation.started', at: 1_000, data: { from: '+1555' } },
    ]);
    expect(call.take(started('again', 500)).emissions).toEqual([]);
    expect(call.conversation).toMatchObject({
      status: 'completed',
      from: '+1555',
      startedAt: 1_000,
      durationSeconds: 60,
    });
  });

  test('that lasts too long is ended by the reaper permanently', () => {
    const call = world();
    call.take(started('s', 1), final('f', 2, 0));
    call.settle(NOW + 1);
    call.take(ended('e', 3));
    expect(call.conversation).toMatchObject({
      status: 'failed',
      endReason: 'timed_out',
      endedBy: 'system',
      error: { code: 'timed_out' },
    });
    expect(call.sent).toEqual([
      'conversation.started',
      'speech.final',
      'conversation.error',
      'transcript.ready',
    ]);
    expect(call.emissions[2]!.data).toMatchObject({ error: { code: 'timed_out', fatal: true } });
  });

  test('announces no transcript when nobody answered', () => {
    const call = world();
    call.take(ended('e', 1, 'no_answer'));
    call.settle();
    expect([call.conversation.status, call.sent]).toEqual(['no_answer', ['conversation.ended']]);
  });

  test('emits a non-fatal error in addition to the end', () => {
    const call = world();
    call.take(started('s', 1), error('x', 2, false), ended('e', 3));
    call.settle();
    expect(call.sent).toEqual([
      'conversation.started',
      'conversation.error',
      'conversation.ended',
      'transcript.ready',
    ]);
    expect(call.emissions[1]!.data).toEqual({ error: { code: 'broken', message: 'x', fatal: false } });
  });

  test('keeps the latest version of a turn that is reported twice', () => {
    const call = world();
    call.take(final('corrected', 9, 0, 'two o’clock'));
    call.take(final('first', 5, 0, 'to a clock'));
    expect(call.final().turns).toEqual([expect.objectContaining({ text: 'two o’clock' })]);
    expect(call.conversation).toMatchObject({ revision: 2, turnCount: 1 });
  });

  test('uses the earliest of several starts and emits one', () => {
    const call = world();
    call.take(started('second', 2_000, '+2'));
    call.take(started('first', 1_000, '+1'));
    expect(call.take(started('third', 3_000, '+3')).ignored).toEqual(['third']);
    expect(call.conversation).toMatchObject({ startedAt: 1_000, from: '+1' });
    expect(call.sent).toEqual(['conversation.started']);
  });

  test('keeps its end time when it fails while it is processed', () => {
    const call = world();
    call.take(started('s', 1_000), ended('e', 61_000, 'silence'), error('x', 70_000));
    expect(call.conversation).toMatchObject({
      status: 'failed',
      endedAt: 61_000,
      durationSeconds: 60,
      endReason: 'error',
      error: { code: 'broken' },
    });
  });

  test('is counted and its failure reported once, when its state is final', () => {
    const call = world();
    expect(call.take(started('s', 1), ended('e', 9), ready('r', 10)).count).toBe(false);
    expect(call.conversation.status).toBe('completed');
    expect(call.take(error('x', 8))).toMatchObject({ count: false, failedNow: false });
    expect(call.settle()).toMatchObject({ count: true, failedNow: true });
    expect(call.take(final('late', 3, 1)).count).toBe(false);
  });

  test('rejects turns beyond the maximum', () => {
    const full = { ...fresh, revision: TURN_EVENTS_MAX };
    const folded = foldEvents(full, [final('f', 1, 1)], NOW, SETTLE);
    expect([folded.ignored, folded.emissions]).toEqual([['f'], []]);
    expect([folded.rejected, folded.conversation.truncated]).toEqual([['f'], true]);
  });

  test('rejects turns beyond its byte limit, but accepts smaller turns and its end', () => {
    const nearly = { ...fresh, revision: 3, bytes: 9_985 };
    const large = {
      ...final('large', 1, 1),
      utterance: { ...toUtterance(1, 'x'), bytes: 16 },
    } as ReportedEvent;
    const folded = foldEvents(nearly, [large, final('small', 2, 2), ended('e', 3)], NOW, SETTLE);
    expect([folded.rejected, folded.turns.map(({ eventId }) => eventId)]).toEqual([['large'], ['small']]);
    expect(folded.conversation).toMatchObject({ bytes: 9_995, truncated: true, status: 'processing' });
  });
});

test('the reaper waits for the maximum duration and a grace from the first report of a conversation', () => {
  const after = (createdAt: number, startedAt: number | null) =>
    reapAt({ createdAt, startedAt }, 60, NOW) - REAP_GRACE_MS - 60_000;
  expect(after(NOW, null)).toBe(NOW);
  // Delayed on its way, so its end may be delayed too.
  expect(after(NOW, NOW - 3_600_000)).toBe(NOW);
  expect(after(NOW - 50, NOW - 10)).toBe(NOW - 10);
  expect(after(NOW - 50, NOW + 3_600_000)).toBe(NOW); // a fast clock does not postpone the end
});

describe('for any order of arrival', () => {
  const anyEvent = fc.integer({ min: 0, max: 20 }).chain((at) =>
    fc.integer({ min: 0, max: 1_000_000 }).chain((number) => {
      const id = `e${number}`;
      return fc.oneof(
        fc.constantFrom(started(id, at, id), ready(id, at), error(id, at), error(id, at, false)),
        fc.constantFrom(...END_REASONS).map((reason) => ended(id, at, reason)),
        fc.integer({ min: 0, max: 4 }).map((turn) => final(id, at, turn)),
        fc.integer({ min: 0, max: 4 }).map((turn) => bot(id, at, turn)),
        fc.integer({ min: 0, max: 4 }).map((turn) => interim(id, at, turn)),
        fc.integer({ min: 0, max: 4 }).map((turn) => tool(id, at, turn)),
        fc.constant({ ...final(id, at, 0), botId: `bot-${id}` }),
      );
    }),
  );
  const anyStream = fc.uniqueArray(anyEvent, { selector: ({ id }) => id, maxLength: 14 });

  /** Any order, with repetitions, in batches of any size. */
  const arrivals = anyStream.chain((stream) =>
    fc.record({
      stream: fc.constant(stream),
      shuffled: fc.shuffledSubarray([...stream], { minLength: stream.length }),
      repeats: fc.array(fc.nat(), { maxLength: 6 }),
      cuts: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 30 }),
    }),
  );

  function arrive({
    shuffled,
    repeats,
    cuts,
  }: {
    shuffled: ReportedEvent[];
    repeats: number[];
    cuts: number[];
  }) {
    const arriving = [
      ...shuffled,
      ...repeats.flatMap((index) => shuffled[index % Math.max(1, shuffled.length)] ?? []),
    ];
    const one = world();
    for (let from = 0, batch = 0; from < arriving.length; batch += 1) {
      const size = cuts[batch] ?? 3;
      one.take(...arriving.slice(from, from + size));
      from += size;
    }
    one.settle();
    return one;
  }

  test('the final state equals that of the ordered stream', () => {
    fc.assert(
      fc.property(arrivals, (arrival) => {
        const inOrder = world();
        for (const one of [...arrival.stream].sort((a, b) => a.at - b.at)) inOrder.take(one);
        inOrder.settle();
        expect(arrive(arrival).final()).toEqual(inOrder.final());
      }),
      { numRuns: 2_000 },
    );
  });

  test('exactly one end and at most one start are emitted, and the sequence has no gap', () => {
    fc.assert(
      fc.property(arrivals, (arrival) => {
        const { emissions, counted, conversation } = arrive(arrival);
        const endings = emissions.filter(
          ({ type, data }) =>
            type === 'conversation.ended' ||
            (type === 'conversation.error' && (data['error'] as { fatal: boolean }).fatal),
        );
        expect(endings).toHaveLength(1);
        if (conversation.error === null) expect(endings[0]!.at).toBe(conversation.endedAt);
        expect(endings[0]!.type === 'conversation.error').toBe(conversation.error !== null);
        expect(emissions.filter(({ type }) => type === 'conversation.started').length).toBeLessThanOrEqual(1);
        expect(emissions.map(({ sequence }) => sequence)).toEqual(emissions.map((_, index) => index + 1));
        expect(counted).toBe(1);
        expect(['completed', 'failed', 'no_answer', 'busy', 'canceled']).toContain(conversation.status);
      }),
      { numRuns: 2_000 },
    );
  });

  test('the same facts have the same ids and sequences, whoever works them out again, and no other', () => {
    const organizationId = 'acme';
    const plan = (arrival: Parameters<typeof arrive>[0]) => {
      const events = arrive(arrival).emissions.map(({ at, cause, ...emission }) => {
        const id = computeEventId({ organizationId, conversationId: 'c' }, emission.type, cause);
        const key = { organizationId, conversationId: 'c', botId: null, applicationId: null };
        const place = { ...key, occurredAt: new Date(at) };
        return { id, ...place, ...emission };
      });
      const rows = planDeliveries(events, [], (prefix) => `${prefix}_${Math.random()}`).events;
      return rows.map(({ id, sequence }, index) => ({ id, sequence, type: events[index]!.type }));
    };
    fc.assert(
      fc.property(arrivals, (arrival) => {
        const told = plan(arrival);
        expect(plan(arrival)).toEqual(told);
        expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
        // In another order the start and the end are the same facts too.
        const once = ({ type }: (typeof told)[number]) => /started|ended/.test(type);
        const others = plan({ ...arrival, shuffled: arrival.stream });
        expect(others.filter(once).map(({ id }) => id)).toEqual(told.filter(once).map(({ id }) => id));
      }),
      { numRuns: 500 },
    );
  });
});
