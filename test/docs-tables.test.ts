// Tables of docs/platform.md that repeat tables of the code name exactly the same things.
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const readText = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

/** Code spans of the table rows in a section, from the given column on. */
function readTable(heading: string, pattern: RegExp): string[] {
  const [, section = ''] = readText('docs/platform.md').split(`\n## ${heading}\n`);
  const rows = section
    .split(/\n## /)[0]!
    .split('\n')
    .filter((line) => line.startsWith('|'));
  return rows.flatMap((row) => [...row.matchAll(pattern)].map(([, name]) => name!)).toSorted();
}

/** Names of the entries of an object literal, or of its nested ones. */
function readNames(path: string, pattern: RegExp): string[] {
  const names = new Set([...readText(path).matchAll(pattern)].map(([, name]) => name!));
  expect(names.size).toBeGreaterThan(5);
  return [...names].toSorted();
}

test('actions of the audit log', () => {
  const actions = readNames('libs/server/audit/src/actions.ts', /^  '([a-z_]+\.[a-z_]+)':/gm);
  expect(readTable('Audit log', /`([a-z_]+\.[a-z_]+)`/g)).toEqual(actions);
});

test('kinds of alerts', () => {
  const kinds = readNames('libs/platform/src/alerts/alert-kinds.ts', /^  ([a-z]+_[a-z_]+): \{/gm);
  expect(readTable('Alerts', /^\| `([a-z_]+)`/g)).toEqual(kinds);
});

test('quotas of the plans, with their numbers', () => {
  const plans = readText('libs/server/organizations/src/plans.ts');
  const quotas = readNames('libs/server/organizations/src/plans.ts', /^      ([a-z_]+): \[/gm);
  expect(readTable('Plans and limits', /`([a-z_]+)`[^|]*\| [\d,]+ \|[^|]+\| [\d,]+ \|$/g)).toEqual(quotas);
  for (const name of quotas) {
    const [, numbers] = new RegExp(`^      ${name}: \\[([^\\]]+)\\]`, 'm').exec(plans)!;
    const cells = numbers!.replaceAll('_', ',').split(', ').join(' | ');
    expect(readText('docs/platform.md')).toMatch(
      new RegExp(`\`${name}\`[^|]*\\| ${cells.replaceAll('|', '\\|')} \\|`),
    );
  }
});
