// `npm run coverage -- <files>`: which edges of flows generated tests take, a line a flow
// (docs/why.md#coverage).
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { generateTests } from '@parley/flow-analysis';
import { compileFlow, parseFlow } from '@parley/flow-engine';

const EXAMPLES = 'apps/flow-builder/examples';

function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
  return names.sort().map((name) => join(path, name));
}

/** Of the examples where no file or folder is named. */
export function printEdges(asked: readonly string[]): void {
  for (const file of (asked.length === 0 ? [EXAMPLES] : asked).flatMap(filesIn)) {
    const document = JSON.parse(readFileSync(file, 'utf8')) as { readonly definition?: unknown };
    const parsed = parseFlow(document.definition ?? document);
    if (!parsed.ok) {
      console.log(`${file}: not a flow`);
      continue;
    }
    const flow = compileFlow(parsed.flow);
    const started = performance.now();
    const { tests, edges, uncovered } = generateTests(flow);
    const ms = Math.round(performance.now() - started);
    console.log(
      `${file}: ${edges.taken} of ${edges.all} edges, ${edges.proved_dead} proved dead, ${tests.length} tests, ${ms} ms`,
    );
    for (const { edge, reason, witness } of uncovered) {
      const { source, target } = flow.model.edges[edge]!;
      console.log(`  edge ${edge}, ${source} to ${target}: ${reason}, ${witness.message}`);
    }
  }
}
