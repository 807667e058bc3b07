// Attacks on the voice API: transcripts of many megabytes, batches of many events, and a delivery
// that kills workers.
import { eventually } from '@parley/testing';
import { SILENT_PATH, times, type Attack, type AttackContext } from './attack.ts';
import { killUntilQuarantined } from './poison.ts';
import type { AttackRequest } from './send.ts';

const service = 'voice-api';
const EVENTS_MAX = 500;
/** Makes a batch as large as the limit. */
const utterance = 'x'.repeat(16_300);
/** Batches of a conversation of 50 MB, the limit of enterprise. */
const BATCHES_OF_FULL = 7;
/** Conversations of 8 MB each: more than the heap. */
const SETTLED_TOGETHER = 60;
const WITHIN_MS = 60_000;

const event = (type: string, conversation_id: string, id: string, data: object) => ({
  id,
  type,
  conversation_id,
  occurred_at: new Date().toISOString(),
  data,
});
const report = (events: readonly object[]): AttackRequest => ({
  method: 'POST',
  path: '/v1/conversations/events',
  body: { events },
});
const get = (path: string): AttackRequest => ({ method: 'GET', path });
const batch = (conversation: string, place: number): AttackRequest =>
  report(
    times(EVENTS_MAX, (of) => {
      const turn = place * EVENTS_MAX + of;
      return event('bot.message', conversation, `${conversation}-${turn}`, {
        turn_index: turn,
        text: utterance,
      });
    }),
  );
/** The same ids for every attack: a repetition stores nothing. */
function* full(conversation: string): Iterable<AttackRequest> {
  for (let place = 0; place < BATCHES_OF_FULL; place += 1) yield batch(conversation, place);
}
const end = (conversation: string) => event('conversation.ended', conversation, `${conversation}-end`, {});
/** Round 0 uses the conversation that another attack filled. */
const ended = (round: number) => (round === 0 ? 'siege-full' : `siege-ended-${round}`);
const settled = (round: number) => times(SETTLED_TOGETHER, (place) => `siege-settle-${round}-${place}`);
const manyMembers = (count: number, prefix = 'm') =>
  Object.fromEntries(times(count, (place) => [`${prefix}${place.toString(36)}`, 1]));

async function webhook({ ask }: AttackContext, url: string, events: readonly string[]): Promise<string> {
  const { status, text } = await ask({ method: 'POST', path: '/v1/webhooks', body: { url, events } });
  if (status !== 201) throw new Error(`no webhook: ${status} ${text}`);
  return (JSON.parse(text) as { data: { id: string } }).data.id;
}

export const voiceApiAttacks: readonly Attack[] = [
  {
    name: 'events: 500 of the largest size',
    service,
    short: true,
    request: (round) => batch(`siege-batch-${round}`, 0),
    expected: [200],
    says: /"accepted":500/,
  },
  {
    name: 'events: a body of 8 MiB with unknown members',
    service,
    short: true,
    request: () => ({
      method: 'POST',
      path: '/v1/conversations/events',
      body: { events: [{}], ...manyMembers(750_000) },
    }),
    expected: [400],
  },
  {
    name: 'events: one whose data has 750,000 members',
    service,
    short: true,
    request: () => report([event('bot.message', 'siege-members', 'siege-members', manyMembers(750_000))]),
    expected: [400],
    says: /INVALID_REQUEST/,
  },
  {
    name: 'events: 75 with 10,000 names each, all different',
    service,
    request: () =>
      report(
        times(75, (place) =>
          event('bot.message', 'siege-names', `siege-names-${place}`, manyMembers(10_000, `${place}-`)),
        ),
      ),
    expected: [200, 400],
    says: /INVALID_REQUEST/,
  },
  {
    name: 'conversations: a page of the largest metadata',
    service,
    prepareOnce: () => [
      report(
        times(100, (place) =>
          event('conversation.started', `siege-meta-${place}`, `siege-meta-${place}`, {
            metadata: Object.fromEntries(times(50, (key) => [`k${key}`, '€'.repeat(500)])),
          }),
        ),
      ),
    ],
    request: () => get('/v1/conversations?limit=100'),
    expected: [200],
    says: /next_cursor/,
  },
  {
    name: 'transcript of 50 MB, page after page',
    service,
    prepareOnce: () => full('siege-full'),
    load: async ({ ask }) => {
      const path = '/v1/conversations/siege-full/transcript';
      for (let cursor = ''; ;) {
        const answer = await ask(get(`${path}${cursor}`));
        const next = /"next_cursor":"([^"]+)"/.exec(answer.text)?.[1];
        if (answer.status !== 200 || next === undefined) return answer;
        cursor = `?cursor=${encodeURIComponent(next)}`;
      }
    },
    expected: [200],
  },
  {
    name: 'events beyond the 50 MB of a conversation, and its truncated flag',
    service,
    prepareOnce: () => full('siege-full'),
    load: async ({ ask }) => {
      const beyond = await ask(batch('siege-full', BATCHES_OF_FULL));
      const { status, text } = await ask(get('/v1/conversations/siege-full'));
      return { status, text: beyond.text + text };
    },
    expected: [200],
    says: /CONVERSATION_TOO_LARGE[^]*"truncated":true/,
  },
  {
    name: 'end of a conversation of 50 MB, with a webhook',
    service,
    prepare: (round) => full(ended(round)),
    load: async (field, round) => {
      const { ask, receiver } = field;
      const path = `/${ended(round)}`;
      const events = ['conversation.ended', 'transcript.ready'];
      await webhook(field, `${receiver.url}${path}`, events);
      await ask(report([end(ended(round))]));
      const bodies = await eventually(
        () => {
          const received = receiver.requests
            .filter((one) => one.path === path)
            .map(({ body }) => String(body));
          return events.every((type) => received.some((body) => body.includes(`"${type}"`))) && received;
        },
        { timeoutMs: WITHIN_MS },
      );
      return { status: 200, text: bodies.find((body) => body.includes('"truncated":true')) ?? '' };
    },
    expected: [200],
    says: /transcript_url/,
  },
  {
    // The reaper ends nothing before five minutes; ended conversations are settled in the same
    // rounds.
    name: `${SETTLED_TOGETHER} conversations of 8 MB that are settled together`,
    service,
    prepare: function* (round) {
      for (const conversation of settled(round)) yield batch(conversation, 0);
    },
    load: async ({ ask }, round) => {
      const conversations = settled(round);
      await ask(report(conversations.map(end)));
      const isSettled = async (conversation: string) => {
        const { text } = await ask(get(`/v1/conversations/${conversation}`));
        return text.includes('"completed"');
      };
      for (const conversation of conversations)
        await eventually(() => isSettled(conversation), { timeoutMs: WITHIN_MS, intervalMs: 250 });
      return ask(get(`/v1/conversations/${conversations[0]!}`));
    },
    expected: [200],
  },
  {
    name: 'verify: 17,000 guesses of a signature',
    service,
    short: true,
    load: async (field) => {
      const id = await webhook(field, field.receiver.url, ['conversation.error']);
      const guesses = times(170, (place) => `v1,${String(place).padStart(44, 'A')}`).join(' ');
      return field.ask({
        method: 'POST',
        path: `/v1/webhooks/${id}/verify`,
        body: { body: 'x'.repeat(150_000), headers: { 'webhook-signature': times(100, () => guesses) } },
      });
    },
    expected: [200],
    says: /"verified":false/,
  },
  {
    name: 'a delivery that kills three workers',
    service,
    kills: true,
    load: async (field) => {
      const { ask, receiver } = field;
      const id = await webhook(field, `${receiver.url}${SILENT_PATH}`, ['conversation.error']);
      await ask(
        report([event('conversation.error', 'siege-poison', 'siege-poison', { code: 'x', message: 'x' })]),
      );
      return killUntilQuarantined(field, () => ask(get(`/v1/webhooks/${id}/deliveries?status=quarantined`)));
    },
    expected: [200],
    says: /quarantined_rows\{.*\} 1/,
  },
];
