// The check finds what it is for: each statement here has one fault, or none.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { checkStatements } from '../../src/statements/check-statements.ts';
import { createTestDatabase } from '../../src/test-database.ts';

const FLOWS = `
  type Sql = <Row = unknown>(text: string, values?: readonly unknown[]) => Promise<Row[]>;
  declare const sql: Sql;
  declare const direction: 'up' | 'down';
  declare const limit: number;
  declare const text: string;
  const NAMES = ['flow_id', 'name'] as const;
  const SET = NAMES.map((name, index) => \`\${name} = $\${index + 2}\`).join(', ');
  const updated = (more: string) => \`UPDATE flows SET \${SET} WHERE organization_id = $1 \${more}\`;
  const ORDER = { up: 'ORDER BY name', down: 'ORDER BY name DESC' };
`;
const CASES: readonly [statement: string, problem: RegExp | 'unread' | null][] = [
  [`sql<{ name: string }>('SELECT name FROM flows WHERE flow_id = $1', ['x'])`, null],
  [`sql<{ name: string | null; old?: number }>('SELECT name FROM flows')`, null],
  [`sql<{ name: string }>(updated('RETURNING name'), ['a', 'b', 'c'])`, null],
  [`sql<{ name: string }>(\`SELECT name FROM flows \${ORDER[direction]} LIMIT \${limit}\`)`, null],
  [`sql<{ title: string }>('SELECT name FROM flows')`, /returns no column title$/],
  [`sql('SELECT title FROM flows')`, /column "title" does not exist/],
  [`sql<{ name: number }>('SELECT name FROM flows')`, /returns string as name, and not number$/],
  [`sql<{ created_at: string }>('SELECT created_at FROM flows')`, /returns Date as created_at/],
  [`sql('SELECT 1 AS one FROM flows WHERE name = $1')`, /has 0 values for 1 parameters$/],
  [`sql<{ name: string }>(updated('RETURNING nam'), ['a', 'b', 'c'])`, /column "nam" does not exist/],
  [`sql(text)`, 'unread'],
];

test('prepares each statement, and names what does not fit', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-statements-'));
  const database = await createTestDatabase('flow-builder');
  try {
    writeFileSync(join(folder, 'x.ts'), FLOWS + CASES.map(([statement]) => `void ${statement};`).join('\n'));
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { strict: true, target: 'ES2022', types: [] }, include: ['x.ts'] }),
    );
    const project = basename(folder);
    const { checked, unread, problems } = await checkStatements(
      dirname(folder),
      project,
      [project],
      database.url,
    );
    const firstLine = FLOWS.split('\n').length;
    const problemOf = (index: number) => {
      const place = `${project}/x.ts:${firstLine + index}`;
      if (unread.includes(place)) return 'unread';
      return problems.find((problem) => problem.startsWith(`${place}: `)) ?? null;
    };
    for (const [index, [statement, wanted]] of CASES.entries()) {
      const found = problemOf(index);
      if (wanted instanceof RegExp) expect(found).toMatch(wanted);
      else expect([statement, found]).toEqual([statement, wanted]);
    }
    expect(checked).toBeGreaterThanOrEqual(CASES.length);
  } finally {
    await database.drop();
    rmSync(folder, { recursive: true });
  }
});
