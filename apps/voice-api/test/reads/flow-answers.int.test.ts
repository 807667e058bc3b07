// GET /v1/analytics/flow-answers: outcomes by question, and the words that were refused.
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { eventually } from '@parley/testing';
import { event, type WireEvent } from '../events.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';
import { dataOf } from '../webhooks.ts';
import { enqueue } from './runtime-messages.ts';

jest.setTimeout(60_000);

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi({ workers: true, env: { TRANSCRIPT_SETTLE: '0.2' } });
});
afterAll(() => service.stop());

type Outcome = 'understood' | 'understood_later' | 'asked_again' | 'lost';
type Answer = readonly [node: number, outcome: Outcome, words: string, more?: object];

const recorded = (turn: number, [node, outcome, words, more]: Answer) => ({
  flow_id: 'claims',
  version: 3,
  turn,
  current_node: 'ask',
  next_node: 'ask',
  status: 'waiting',
  now: 1_795_255_200,
  path: [[node, null, null]],
  input: { user_input: words },
  variables_in: {},
  variables_set: {},
  variables_cleared: [],
  answers: [],
  messages: [],
  actions: [],
  answer_outcome: { node, outcome },
  ...more,
});

async function botWith(recording: string): Promise<string> {
  return dataOf<{ id: string }>(await service.api.post('/v1/bots', { name: 'x', recording }).expect(201)).id;
}

async function converse(id: string, answers: readonly Answer[], recording = 'full'): Promise<void> {
  const bot_id = await botWith(recording);
  const about = { flow_id: 'claims', flow_version: 3 };
  const events: WireEvent[] = [
    event('conversation.started', id, 1, about, { bot_id }),
    ...answers.map((answer, at) => ({
      ...event('turn.recorded', id, at + 2, {}, { bot_id }),
      turn: recorded(at + 1, answer),
    })),
    event('conversation.ended', id, answers.length + 2, {}, { bot_id }),
  ];
  expect(await enqueue(events, service)).toBe(true);
  await eventually(async () => {
    const answer = await service.api.get(`/v1/conversations/${id}`);
    return (answer.body as { data?: { status: string } }).data?.status === 'completed';
  });
}

interface FlowAnswers {
  readonly complete: boolean;
  readonly questions: readonly { index: number; refused: { words: string; count: number }[] }[];
}
const answersOf = async (query = 'flow_id=claims&version=3', api = service.api) =>
  dataOf<FlowAnswers>(await api.get(`/v1/analytics/flow-answers?${query}`).expect(200));

const none = { understood: 0, understood_later: 0, asked_again: 0, lost: 0, refused: [] };

test('by question: outcomes, and the words that were refused, the most frequent first', async () => {
  await converse('one', [
    [1, 'asked_again', ' Next  WEEK '],
    [1, 'understood_later', 'Friday'],
    [4, 'lost', 'dunno'],
  ]);
  await converse('two', [
    [1, 'asked_again', 'next week'],
    [1, 'asked_again', 'soon'],
    [1, 'understood', 'tomorrow'],
  ]);
  expect(await answersOf()).toEqual({
    flow_id: 'claims',
    version: 3,
    days: 30,
    complete: true,
    questions: [
      {
        ...none,
        index: 1,
        understood: 1,
        understood_later: 1,
        asked_again: 3,
        refused: [
          { words: 'next week', count: 2 },
          { words: 'soon', count: 1 },
        ],
      },
      { ...none, index: 4, lost: 1, refused: [{ words: 'dunno', count: 1 }] },
    ],
  });
  expect((await answersOf('flow_id=claims&version=4')).questions).toEqual([]);
});

test('at most ten words a question, whatever characters they have', async () => {
  const half = '\u{1f600}'.repeat(150).slice(1);
  await converse('many', [
    ...Array.from({ length: 12 }, (_, at): Answer => [7, 'asked_again', `word ${at}`]),
    [8, 'asked_again', half.slice(1)],
  ]);
  const { questions } = await answersOf();
  expect(questions.find(({ index }) => index === 7)?.refused).toHaveLength(10);
  expect(questions.find(({ index }) => index === 8)?.refused).toHaveLength(1);
});

test('no words where the flow redacts, where the bot keeps the path only, and of silence', async () => {
  const redacted = { redacted: ['iban'] };
  await converse('secret', [
    [10, 'asked_again', '[redacted a1b2]', redacted],
    [11, 'lost', 'it is [redacted a1b2], I said', redacted],
    [12, 'asked_again', 'plain words', redacted],
    [13, 'asked_again', ' '],
  ]);
  await converse('path', [[14, 'asked_again', 'canary']], 'path');
  const { questions } = await answersOf();
  const of = (node: number) => questions.find(({ index }) => index === node);
  for (const node of [10, 11, 13, 14]) expect(of(node)?.refused).toEqual([]);
  expect(of(14)).toMatchObject({ asked_again: 1 });
  expect(of(12)?.refused).toEqual([{ words: 'plain words', count: 1 }]);
  expect(JSON.stringify(await service.deps.sql('SELECT refused FROM conversation_turns'))).not.toMatch(
    /canary|redacted/,
  );
});

test('what is deleted is counted no more, and its words are gone', async () => {
  await converse('gone', [[20, 'asked_again', 'forget me']]);
  expect((await answersOf()).questions).toContainEqual(expect.objectContaining({ index: 20 }));
  await service.api.delete('/v1/conversations/gone').expect(200);
  expect(JSON.stringify(await answersOf())).not.toContain('forget me');
  expect((await answersOf()).questions).not.toContainEqual(expect.objectContaining({ index: 20 }));
});

test('days, outcomes of a newer flow builder, and other organisations', async () => {
  await converse('odd', [[30, 'misheard' as Outcome, 'x']]);
  expect((await answersOf()).questions).not.toContainEqual(expect.objectContaining({ index: 30 }));
  await service.deps.sql(
    `UPDATE conversations SET created_at = created_at - interval '5 days' WHERE id = 'one'`,
  );
  expect((await answersOf('flow_id=claims&version=3&days=4')).questions[0]).toMatchObject({
    index: 1,
    understood_later: 0,
  });
  const theirs = service.as(await service.issueKey('another'));
  expect((await answersOf(undefined, theirs)).questions).toEqual([]);
  await service.api.get('/v1/analytics/flow-answers?flow_id=claims&version=3&days=367').expect(400);
});
