// An event with as many members as a body can hold must be rejected quickly and with a short
// message.
import { expect, test } from '@jest/globals';
import { parseHttpEvent } from './parse-events.ts';

const NOW_MS = Date.UTC(2026, 10, 22);
const event = {
  id: 'e1',
  type: 'conversation.started',
  conversation_id: 'c1',
  occurred_at: new Date(NOW_MS).toISOString(),
  data: {},
};
const members = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`member-${index}`, 1]));

test.each([
  ['with too many members', { ...event, ...members(20_000) }],
  ['with data of too many members', { ...event, data: members(20_000) }],
  ['with thousands of unknown members', { ...event, ...members(9_000) }],
  ['with thousands of wrong metadata', { ...event, data: { metadata: members(9_000) } }],
])('%s', (_what, raw) => {
  const { parsed } = parseHttpEvent(raw, NOW_MS, false);
  expect(parsed.ok).toBe(false);
  expect(parsed.ok ? '' : parsed.message).toMatch(/^.{10,1600}$/s);
});
