// Conversation events over HTTP, 500 a request (docs/voice-api.md#conversation-events): the built
// service, against the bare insert of the same events.
import { cpuTimer } from '../cpu-time.ts';
import type { Variant } from '../harness.ts';
import type { Part } from '../suites.ts';
import { EVENTS_PER_CONVERSATION, conversationBatch } from './event-batches.ts';
import { call, withVoiceStack, type VoiceService, type VoiceStack } from './voice-stack.ts';

const EVENTS_PER_REQUEST = 500;
/** Requests under way at once: a few media runtimes. */
const REQUESTS_AT_ONCE = 4;
const WINDOW_SECONDS = 3;
const EVENTS_PER_SECOND_MIN = 5_000;
const OURS = 'Parley intake';
const BARE = 'bare insert';

export const ingestPart: Part = {
  title: 'ingest',
  open: (setting, measure, tell) =>
    withVoiceStack(setting, async (stack) => {
      const service = await stack.startService('all');
      await stack.pool.query(BARE_TABLE);
      const measured = await measure({
        title: `Conversation events in, ${EVENTS_PER_REQUEST} a request, ${REQUESTS_AT_ONCE} requests at once`,
        operation: 'event',
        windowSeconds: WINDOW_SECONDS,
        variants: [intake(stack, service), bareInsert(stack)],
        ratios: [{ of: 'rate', over: OURS, under: BARE }],
        note:
          'whole conversations of ten events, applied to their state, transcript and analytics; no webhook. The bare insert is ' +
          `unnest of the same events into one table (key and JSON), ${EVENTS_PER_REQUEST} a transaction, from ${REQUESTS_AT_ONCE} connections. ` +
          'Service (HTTP and worker), Postgres and the load share the machine',
      });
      const { perSecond } = measured.variants.find(({ name }) => name === OURS)!;
      tell({
        title: 'Ingest',
        figures: [{ name: OURS, value: perSecond, unit: 'events/s', atLeast: EVENTS_PER_SECOND_MIN }],
      });
    }),
};

/** `one` over and over, several at once, until the time is up. Gives how many events went in. */
async function lanes(seconds: number, one: (request: number) => Promise<void>) {
  const startedAt = performance.now();
  let requests = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() - startedAt < seconds * 1000) await one((requests += 1));
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, lane));
  return { operations: requests * EVENTS_PER_REQUEST, seconds: (performance.now() - startedAt) / 1000 };
}

function intake({ apiKey }: VoiceStack, { baseUrl, process: service }: VoiceService): Variant {
  let windows = 0;
  return {
    name: OURS,
    run: async (seconds) => {
      windows += 1;
      const cpu = cpuTimer([service.pid]);
      const done = await lanes(seconds, async (request) => {
        const name = `i${windows}-${request}`;
        const body = conversationBatch(
          name,
          EVENTS_PER_REQUEST / EVENTS_PER_CONVERSATION,
          Date.now() - 60_000,
        );
        const { accepted } = await call<{ accepted: number }>(
          'POST',
          `${baseUrl}/conversations/events`,
          apiKey,
          body,
        );
        if (accepted !== EVENTS_PER_REQUEST)
          throw new Error(`${accepted} of ${EVENTS_PER_REQUEST} were accepted`);
      });
      return {
        ...done,
        cpuSeconds: cpu(),
      };
    },
  };
}

const BARE_TABLE = `
  CREATE TABLE bench_events (organization_id text, id text, conversation_id text, type text, occurred_at timestamptz, data jsonb,
    PRIMARY KEY (organization_id, id))`;
const BARE_INSERT = `
  INSERT INTO bench_events SELECT 'demo', * FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::jsonb[])`;

function bareInsert({ pool }: VoiceStack): Variant {
  let windows = 0;
  return {
    name: BARE,
    run: async (seconds) => {
      windows += 1;
      const before = process.cpuUsage();
      const done = await lanes(seconds, async (request) => {
        const name = `b${windows}-${request}`;
        const body = conversationBatch(
          name,
          EVENTS_PER_REQUEST / EVENTS_PER_CONVERSATION,
          Date.now() - 60_000,
        );
        const { events } = JSON.parse(body) as { events: Record<string, unknown>[] };
        const column = (member: string) => events.map((event) => event[member]);
        const data = events.map((event) => JSON.stringify(event['data']));
        await pool.query(BARE_INSERT, [
          column('id'),
          column('conversation_id'),
          column('type'),
          column('occurred_at'),
          data,
        ]);
      });
      const cpu = process.cpuUsage(before);
      return { ...done, cpuSeconds: (cpu.user + cpu.system) / 1e6 };
    },
  };
}
