// Every payload that was ever sent must still parse and keep every member: contracts change
// additively.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { z } from 'zod';
import { acknowledgement, contracts, envelope } from '../src/index.ts';

const samples = join(import.meta.dirname, 'samples');
const schemas: Record<string, z.ZodType> = {
  ...Object.fromEntries(Object.entries(contracts).map(([name, { payload }]) => [name, payload])),
  envelope,
  'outbox-acks': acknowledgement,
};

test('every contract has samples, and nothing else has', () => {
  expect(readdirSync(samples).sort()).toEqual(Object.keys(schemas).sort());
});

const files = Object.keys(schemas).flatMap((name) =>
  readdirSync(join(samples, name)).map((file) => [name, file] as const),
);
test.each(files)('%s/%s still parses', (name, file) => {
  const sample: unknown = JSON.parse(readFileSync(join(samples, name, file), 'utf8'));
  expect(schemas[name]?.parse(sample)).toEqual(sample);
});

test.each(Object.keys(schemas))('%s ignores members of a newer version', (name) => {
  const [file] = readdirSync(join(samples, name));
  const sample = JSON.parse(readFileSync(join(samples, name, String(file)), 'utf8')) as object;
  expect(schemas[name]?.parse({ ...sample, added_later: 1 })).toEqual(sample);
});
