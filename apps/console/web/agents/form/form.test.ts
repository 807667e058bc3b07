import { expect, test } from '@jest/globals';
import { EMPTY_FORM, parseMetadata, toNewAgent, toUpdate } from './form.rules.ts';

test('a new agent has only what was filled in', () => {
  expect(toNewAgent({ ...EMPTY_FORM, name: ' Desk ' })).toEqual({ name: 'Desk', language: 'en' });
  expect(toNewAgent({ ...EMPTY_FORM, name: 'Desk', voiceId: 'anna', flowVersion: '3' })).toEqual({
    name: 'Desk',
    language: 'en',
    voice: { provider: null, voice_id: 'anna', speed: 1 },
  });
});

test('an update has only changed members, and empties what was emptied', () => {
  const before = { ...EMPTY_FORM, name: 'Desk', flowId: 'f', flowVersion: '3', tags: 'a\nb' };
  expect(toUpdate(before, before)).toEqual({});
  expect(toUpdate({ ...before, flowId: null, tags: 'b\nb\n', maxMinutes: '2.5' }, before)).toEqual({
    flow_id: null,
    flow_version: null,
    tags: ['b'],
    max_duration_seconds: 150,
  });
});

test.each([
  ['team: sales\nurl: https://x.example', { team: 'sales', url: 'https://x.example' }],
  ['', {}],
  ['team', null],
])('reads metadata %j', (text, expected) => {
  expect(parseMetadata(text)).toEqual(expected);
});
