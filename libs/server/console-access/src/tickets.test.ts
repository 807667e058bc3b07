import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { parseKeyring } from '@parley/server/runtime';
import { createTickets } from './tickets.ts';

const content = z.object({ name: z.string() });
const ada = { name: 'Ada' };
const entry = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;

function ticketsUnder(keyring: string) {
  const time = { ms: Date.parse('2026-03-01T12:00:00Z') };
  const keys = parseKeyring(keyring);
  return {
    time,
    tickets: createTickets(
      async () => keys,
      () => time.ms,
    ),
  };
}

test('a sealed content opens until it expires', async () => {
  const { time, tickets } = ticketsUnder(entry('one', 1));
  const sealed = await tickets.seal('session', ada, 60);
  expect(sealed).not.toContain('Ada');
  expect(await tickets.open('session', content, sealed)).toEqual(ada);
  time.ms += 60_000;
  expect(await tickets.open('session', content, sealed)).toBeNull();
});

test('a ticket has one kind, and nothing else is a ticket', async () => {
  const { tickets } = ticketsUnder(entry('one', 1));
  const sealed = await tickets.seal('link', ada, 60);
  expect(await tickets.open('session', content, sealed)).toBeNull();
  expect(await tickets.open('link', z.object({ other: z.string() }), sealed)).toBeNull();
  const at = sealed.length - 4; // not the last character, which holds unused bits
  const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
  expect(await tickets.open('link', content, changed)).toBeNull();
  for (const text of ['', 'x', 'a.b.c.d.e']) expect(await tickets.open('link', content, text)).toBeNull();
});

test('with a new first key, tickets of the old one still open', async () => {
  const old = await ticketsUnder(entry('one', 1)).tickets.seal('session', ada, 60);
  const { tickets } = ticketsUnder(`${entry('two', 2)},${entry('one', 1)}`);
  expect(await tickets.open('session', content, old)).toEqual(ada);
  const next = await tickets.seal('session', ada, 60);
  expect(await ticketsUnder(entry('one', 1)).tickets.open('session', content, next)).toBeNull();
});
