import { expect, test } from '@jest/globals';
import { createFrames, eventFrame, openingFrame, positionFrame, parsePosition } from './frames.rules.ts';

test('the position is on a frame with data: not every client reads it from another', () => {
  expect(eventFrame({ name: 'created', data: { text: 'a\nb' } }, 7n)).toBe(
    'id: 7\nevent: created\ndata: {"text":"a\\nb"}\n\n',
  );
  expect(eventFrame({ name: 'read', data: null })).toBe('event: read\ndata: null\n\n');
  expect(positionFrame(8n)).toBe('id: 8\n\n');
});

test('a shared event is the same for each client, whatever its position', () => {
  const frame = createFrames();
  const event = { name: 'created', data: { id: 1 } };
  for (const position of [7n, undefined, 8n])
    expect(frame(event, position)).toBe(eventFrame(event, position));
});

test('clients reconnect after one to five seconds, with jitter', () => {
  expect([openingFrame(0), openingFrame(0.999999)]).toEqual(['retry: 1000\n\n', 'retry: 5000\n\n']);
});

test.each<[string, bigint | null]>([
  ['1', 1n],
  ['9223372036854775807', 9_223_372_036_854_775_807n],
  ['9223372036854775808', null],
  ['0', null],
  ['-1', null],
  ['1e3', null],
  ['', null],
  ['7 ', null],
])('%j is the position %s', (text, position) => expect(parsePosition(text)).toBe(position));
