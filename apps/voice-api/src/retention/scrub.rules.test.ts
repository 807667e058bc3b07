import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  listSpoken,
  scrubConversation,
  scrubEvent,
  scrubRecordedTurn,
  scrubText,
  scrubTurn,
} from './scrub.rules.ts';

test.each([
  ['Call +49 (30) 555-0142, please.', 'Call [number], please.'],
  ['My card is 4111 1111 1111 1111.', 'My card is [number].'],
  ['Nummer ٠١٢٣٤٥٦٧', 'Nummer [number]'],
  ['１２３４－５', '[number]－５'],
  ['[redacted 1234567890abcdef]', '[redacted 1234567890abcdef]'],
  ['jane.doe+x@mail.example.org!', '[email]!'],
  ['Müller@bücher.example and a@b', '[email] and a@b'],
  ['At 12:30 for 4 people, room 101.', 'At 12:30 for 4 people, room 101.'],
  ['code 1-2-3-4', 'code [number]'],
  ['five five five, one two three, or triple five oh', '[number], or [number]'],
  ['fünf fünf 5 12 [redacted 12345678] drei', '[number] [redacted 12345678] drei'],
])('%s', (text, scrubbed) => expect(scrubText(text)).toBe(scrubbed));

test('no four digits in a row are left, and scrubbing twice changes nothing', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9 @.+()-]{0,80}$/), (text) => {
      const scrubbed = scrubText(text);
      expect(scrubbed).not.toMatch(/\d{4}/);
      expect(scrubText(scrubbed)).toBe(scrubbed);
    }),
  );
});

test('long texts take no time', () => {
  const begun = performance.now();
  for (const text of ['a.'.repeat(100_000), '1-'.repeat(100_000), '('.repeat(200_000)]) scrubText(text);
  expect(performance.now() - begun).toBeLessThan(2_000);
});

test('a turn loses its words with its text', () => {
  const turn = { index: 1, text: 'It is 5551234.', words: [{ word: '5551234' }] };
  expect(scrubTurn(turn)).toEqual({ index: 1, text: 'It is [number].' });
  const harmless = { index: 1, text: 'Hello.', words: [{ word: 'Hello' }] };
  expect(scrubTurn(harmless)).toBe(harmless);
  expect(scrubTurn(turn, '[redacted ab12]')).toEqual({ index: 1, text: '[redacted ab12]' });
});

test('events, conversations and recorded turns keep what is no text', () => {
  const event = {
    id: 'evt_1',
    event: 'conversation.ended',
    data: {
      conversation_id: '20261127',
      turn_index: 3,
      text: '5551234',
      transcript: [{ index: 1, role: 'bot' as const, text: '1234' }],
    },
  };
  const places = listSpoken(event);
  expect(places).toEqual([
    { id: '20261127', index: 3, role: 'user' },
    { id: '20261127', index: 1, role: 'bot' },
  ]);
  expect(scrubEvent(event)).toEqual({
    ...event,
    data: {
      ...event.data,
      text: '[number]',
      transcript: [{ index: 1, role: 'bot', text: '[number]' }],
    },
  });
  expect(scrubEvent(event, ({ role }) => `[redacted 00aa] ${role}`)).toMatchObject({
    data: { text: '[redacted 00aa] user', transcript: [{ text: '[redacted 00aa] bot' }] },
  });
  const conversation = {
    id: '20261127',
    summary: 'a@b.cd',
    analysis: { pin: 4711, n: [3] },
    recording_url: 'https://x',
  };
  expect(scrubConversation(conversation)).toEqual({
    id: '20261127',
    summary: '[email]',
    analysis: { pin: '[number]', n: [3] },
  });
  const turn = { now: '2026-11-27T10:00:00Z', path: [[12345, null]], input: { user_input: '4711 11' } };
  expect(scrubRecordedTurn(turn)).toEqual({ ...turn, input: { user_input: '[number]' } });
});

test('an address of any length is found, and a text without blanks takes no longer', () => {
  expect(scrubText(`${'x'.repeat(100)}@example.com`)).toBe('[email]');
  const long = 'x'.repeat(100_000);
  scrubText('one two'); // loads the languages
  const beganMs = performance.now();
  for (let time = 0; time < 20; time += 1) expect(scrubText(`${long}@`)).toBe(`${long}@`);
  // Every place as the beginning of an address would take some 15 s.
  expect(performance.now() - beganMs).toBeLessThan(5_000);
});
