// Reads event streams that the network cuts into arbitrary pieces.
import { expect, test } from '@jest/globals';
import { EventStream, type StreamEvent } from '../src/event-stream.ts';
import type { CallOptions, Input } from '../src/options.ts';

const operation = { method: 'GET', path: '/stream', stream: true } as const;

/** A server that answers with one list of pieces per connection; `cut` breaks the connection. */
function streamOf(answers: readonly (readonly string[])[], cut: boolean) {
  const asked: { input: Input; options: CallOptions }[] = [];
  const sender = async (_: unknown, input: Input, options: CallOptions) => {
    const pieces = [...(answers[asked.push({ input, options }) - 1] ?? [])];
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const piece = pieces.shift();
        if (piece !== undefined) controller.enqueue(encoder.encode(piece));
        else if (cut) controller.error(new Error('reset'));
        else controller.close();
      },
    });
    return new Response(body);
  };
  return { asked, stream: new EventStream(sender, operation, { user_id: 'a', last_event_id: '1' }, {}) };
}

async function collect(stream: AsyncIterable<StreamEvent>, count: number) {
  const events: StreamEvent[] = [];
  for await (const event of stream) if (events.push(event) === count) break;
  return events;
}

test('reads a stream cut into any pieces', async () => {
  const text =
    'retry: 5\n\n: a comment\nevent: one\ndata: {"a":1}\n\ndata: two\r\ndata:lines\r\n\r\nevent\rdata: "é"\r\r';
  const expected = [
    { event: 'one', data: { a: 1 }, id: '' },
    { event: 'message', data: 'two\nlines', id: '' },
    { event: 'message', data: 'é', id: '' },
  ];
  for (let size = 1; size <= text.length; size += 1) {
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g'))!;
    expect(await collect(streamOf([[...pieces, '\n']], false).stream, 9)).toEqual(expected);
  }
});

test('resumes after the last whole event', async () => {
  const { asked, stream } = streamOf(
    [['retry: 1\n\nid: 7\ndata: 1\n\n', 'id: 8\ndata: 2'], ['id: 8\ndata: 2\n\n']],
    true,
  );
  expect(await collect(stream, 2)).toEqual([
    { event: 'message', data: 1, id: '7' },
    { event: 'message', data: 2, id: '8' },
  ]);
  expect(asked.map(({ options }) => options.headers?.['last-event-id'])).toEqual([undefined, '7']);
  expect(asked.map(({ input }) => input['last_event_id'])).toEqual(['1', undefined]);
});

test('without a position an end is final, and a cut is an error', async () => {
  expect(await collect(streamOf([['data: 1\n\n']], false).stream, 9)).toHaveLength(1);
  await expect(collect(streamOf([['data: 1\n\n']], true).stream, 9)).rejects.toThrow('cut');
});

test('refuses an event without an end', async () => {
  const endless = Array.from({ length: 3 }, () => 'x'.repeat(2 ** 20));
  await expect(collect(streamOf([['data: ', ...endless]], false).stream, 1)).rejects.toThrow('larger');
});

test('a connection that has ended leaves nothing that listens to the stream', async () => {
  const { asked, stream } = streamOf(
    Array.from({ length: 4 }, (_, at) => [`retry: 1\nid: ${at}\ndata: 1\n\n`]),
    true,
  );
  await collect(stream, 4);
  const signals = asked.map(({ options }) => options.signal);
  expect(new Set(signals).size).toBe(4);
  expect(signals.map((signal) => signal!.aborted)).toEqual([true, true, true, true]);
});
