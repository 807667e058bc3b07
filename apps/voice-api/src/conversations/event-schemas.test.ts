// An event may hold as many members as a body has room for: it is refused soon, and in few words.
import { expect, test } from '@jest/globals';
import { parseHttpEvent } from './event-schemas.ts';

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
  ['of more members than anybody has', { ...event, ...members(20_000) }],
  ['with data of more members than anybody has', { ...event, data: members(20_000) }],
  ['of thousands of unknown members', { ...event, ...members(9_000) }],
  ['of thousands of wrong metadata', { ...event, data: { metadata: members(9_000) } }],
])('%s', (_what, raw) => {
  const { parsed } = parseHttpEvent(raw, NOW_MS, false);
  expect(parsed.ok).toBe(false);
  expect(parsed.ok ? '' : parsed.message).toMatch(/^.{10,1600}$/s);
});
