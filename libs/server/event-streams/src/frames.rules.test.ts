import { expect, test } from '@jest/globals';
import { createFrames, eventFrame, openingFrame, positionFrame } from './frames.rules.ts';

test('the position is on a frame with data: not every client reads it from another', () => {
  expect(eventFrame({ name: 'created', data: { text: 'a\nb' } }, '7')).toBe(
    'id: 7\nevent: created\ndata: {"text":"a\\nb"}\n\n',
  );
  expect(eventFrame({ name: 'read', data: null })).toBe('event: read\ndata: null\n\n');
  expect(positionFrame('8')).toBe('id: 8\n\n');
});

test('a shared event is the same for each client, whatever its position', () => {
  const frame = createFrames();
  const event = { name: 'created', data: { id: 1 } };
  for (const position of ['7', undefined, '8'])
    expect(frame(event, position)).toBe(eventFrame(event, position));
});

test('clients reconnect after one to five seconds, with jitter', () => {
  expect([openingFrame(0), openingFrame(0.999999)]).toEqual(['retry: 1000\n\n', 'retry: 5000\n\n']);
});
