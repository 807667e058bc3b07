// The events of the voice suite are whole conversations, with ids of their own.
import { expect, test } from '@jest/globals';
import { EVENTS_PER_CONVERSATION, conversationBatch, messageBatch, sentAtOf } from './event-batches.ts';

interface Batch {
  events: { id: string; type: string; conversation_id: string; occurred_at: string }[];
}
const parse = (text: string) => JSON.parse(text) as Batch;

test('a batch of fifty conversations has 500 events with 500 ids, each conversation from start to end', () => {
  const { events } = parse(conversationBatch('a', 50, 0));
  expect(events).toHaveLength(50 * EVENTS_PER_CONVERSATION);
  expect(events).toHaveLength(500);
  expect(new Set(events.map(({ id }) => id)).size).toBe(500);
  const first = events.filter(({ conversation_id }) => conversation_id === 'conv_a_0');
  expect(first.map(({ type }) => type)).toEqual([
    'conversation.started',
    ...Array.from({ length: 4 }, () => ['speech.final', 'bot.message']).flat(),
    'conversation.ended',
  ]);
  expect(first.map(({ occurred_at }) => Date.parse(occurred_at))).toEqual(
    first.map(({ occurred_at }) => Date.parse(occurred_at)).toSorted((a, b) => a - b),
  );
});

test('another name gives other ids', () => {
  const ids = (name: string) => parse(conversationBatch(name, 3, 0)).events.map(({ id }) => id);
  expect(new Set([...ids('a'), ...ids('b')]).size).toBe(6 * EVENTS_PER_CONVERSATION);
});

test('a delivery tells when its batch was sent', () => {
  const { events } = parse(messageBatch('w1', 25, 1_790_000_000_123.456));
  const body = JSON.stringify({ id: 'evt_1', data: { conversation_id: events[24]!.conversation_id } });
  expect(sentAtOf(body)).toBe(1_790_000_000_123.456);
  expect(sentAtOf('{"data":{"conversation_id":"conv_1"}}')).toBeUndefined();
  expect(new Set(events.map(({ conversation_id }) => conversation_id)).size).toBe(3);
});
