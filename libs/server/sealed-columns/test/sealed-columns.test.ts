// `parley rewrap` re-seals every column that a schema calls sealed under DATA_KEY, or the column
// expires.
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { sealedColumns } from '../src/index.ts';

/**
 * Stored answers of Idempotency-Keys and chats live for a day; messages are sealed under QUEUE_KEY.
 */
const PASSING = ['chat_answers.answer', 'idempotency_keys.reply', 'inbox_suspects.data', 'outbox.payload'];

/** `table.column` of every field that its comment calls sealed. */
function sealedIn(schema: string): string[] {
  return [...schema.matchAll(/^model \w+ \{\n([\s\S]*?)^\}/gm)].flatMap(([, body = '']) => {
    const [, table = ''] = /@@map\("(\w+)"\)/.exec(body) ?? [];
    const fields = body.matchAll(/((?: *\/\/\/.*\n)+) *(\w+) (.*)/g);
    return [...fields]
      .filter(([, comment = '']) => /\bsealed\b|\bDATA_KEY\b/i.test(comment))
      .map(([, , field = '', rest = '']) => `${table}.${/@map\("(\w+)"\)/.exec(rest)?.[1] ?? field}`);
  });
}

test.each(Object.entries(sealedColumns))('%s', (service, columns) => {
  const schema = readFileSync(
    new URL(`../../../../prisma/${service}/schema.prisma`, import.meta.url),
    'utf8',
  );
  const listed = columns.map(({ table, column }) => `${table}.${column}`);
  expect(listed.sort()).toEqual(
    sealedIn(schema)
      .filter((column) => !PASSING.includes(column))
      .sort(),
  );
});
