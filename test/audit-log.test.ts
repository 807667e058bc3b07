// The audit log is only ever added to: one file names its table, and it has no statement that
// changes a row.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const root = new URL('..', import.meta.url);
const HOME = 'libs/server/audit/src/audit-log.ts';

const sources = ['apps', 'libs'].flatMap((kind) =>
  readdirSync(new URL(kind, root), { recursive: true, encoding: 'utf8' })
    .filter((path) => /^(?!testing\/)[^/]+\/(?:[^/]+\/)?src\/.*(?<!\.test)\.ts$/.test(path))
    .map((path) => `${kind}/${path}`),
);
const textOf = (path: string) => readFileSync(new URL(path, root), 'utf8');

test('nobody else touches its table', () => {
  expect(sources.length).toBeGreaterThan(300);
  expect(sources.filter((path) => /\baudit_log\b/.test(textOf(path)))).toEqual([HOME]);
});

test('its rows are added and read; the database removes them by age', () => {
  expect(textOf(HOME).match(/\b(INSERT INTO|UPDATE|DELETE FROM|TRUNCATE)\b [a-z_]+ (?:WHERE \w+)?/g)).toEqual(
    ['INSERT INTO audit_log '],
  );
});
