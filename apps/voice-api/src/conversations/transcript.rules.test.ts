import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { chooseForm, isKnownTag } from '../negotiate.rules.ts';
import {
  sortTurns,
  formatText,
  formatVtt,
  TRANSCRIPT_FORMS,
  type TranscriptTurn,
} from './transcript.rules.ts';

const turn = (index: number, text: string, more: Partial<TranscriptTurn> = {}): TranscriptTurn => ({
  index,
  role: 'user',
  text,
  start_ms: null,
  end_ms: null,
  confidence: null,
  interrupted: false,
  language: null,
  ...more,
});

test('turns are ordered by index, and a question comes before its answer', () => {
  const rows = [
    { turn_index: 2, role: 'user' as const },
    { turn_index: 1, role: 'bot' as const },
    { turn_index: 1, role: 'tool' as const },
    { turn_index: 1, role: 'user' as const },
    { turn_index: 10, role: 'system' as const },
  ];
  expect(sortTurns(rows).map(({ turn_index, role }) => `${turn_index}${role}`)).toEqual([
    '1user',
    '1tool',
    '1bot',
    '2user',
    '10system',
  ]);
});

describe('WebVTT', () => {
  test('formats hours and escapes text that would end a cue or be markup', () => {
    const text = 'a --> b\n\n\n<b>&amp;';
    expect(formatVtt([turn(0, text, { role: 'bot', start_ms: 3_723_004.6, end_ms: 3_724_000 })])).toBe(
      'WEBVTT\n\n0-bot\n01:02:03.005 --> 01:02:04.000\n<v Bot>a --&gt; b\n&lt;b&gt;&amp;amp;\n',
    );
  });

  test('places a turn without times between its neighbours', () => {
    const vtt = formatVtt([
      turn(0, 'first', { start_ms: 0, end_ms: 1_000 }),
      turn(1, 'between'),
      turn(2, 'last', { start_ms: 1_400 }),
    ]);
    expect(vtt.match(/[\d:.]+ --> [\d:.]+/g)).toEqual([
      '00:00:00.000 --> 00:00:01.000',
      '00:00:01.000 --> 00:00:01.400',
      '00:00:01.400 --> 00:00:02.400',
    ]);
  });

  test('cues never go back and end after they begin for any reported times', () => {
    const ms = fc.option(fc.integer({ min: 0, max: 100_000 }));
    const turns = fc.array(fc.record({ text: fc.string(), start_ms: ms, end_ms: ms }), { maxLength: 12 });
    fc.assert(
      fc.property(turns, (all) => {
        const vtt = formatVtt(all.map((one, index) => turn(index, one.text, one)));
        const times = [...vtt.matchAll(/^(\d\d:\d\d:\d\d\.\d{3}) --> (\d\d:\d\d:\d\d\.\d{3})$/gm)];
        expect(times).toHaveLength(all.length);
        times.forEach(([, start, end], index) => {
          expect(end! > start!).toBe(true);
          if (index > 0) expect(start! >= times[index - 1]![1]!).toBe(true);
        });
      }),
    );
  });
});

test('text/plain has one line a turn', () => {
  expect(formatText([turn(0, 'one\r\ntwo'), turn(1, 'three', { role: 'tool' })])).toBe(
    'User: one two\nTool: three\n',
  );
});

test.each([
  [undefined, 'application/json'],
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['text/vtt', 'text/vtt'],
  ['TEXT/Plain; charset=utf-8', 'text/plain'],
  ['text/*', 'text/vtt'],
  ['text/plain;q=0.5, text/vtt;q=0.4', 'text/plain'],
  ['application/json;q=0.1, text/vtt;q=0.2', 'text/vtt'],
  ['text/vtt;q=0, */*;q=0.1', 'application/json'],
  ['text/vtt;q=x', 'application/json'],
  ['image/png', 'application/json'],
])('Accept: %s is answered with %s', (accept, form) => {
  expect(chooseForm(accept, TRANSCRIPT_FORMS)).toBe(form);
});

test.each([
  [undefined, false],
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['*', true],
  ['"b"', false],
  ['a', false],
])('If-None-Match: %s', (header, known) => {
  expect(isKnownTag(header, '"a"')).toBe(known);
});
