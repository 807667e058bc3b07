// `npm run coverage -- intents <folder>`: how many utterances the examples of branches decide
// rightly, wrongly, or although they fit none, without a provider. A line of a .jsonl file is a
// case: `{text, edges: [{nl, label?, examples?, counter_examples?}], right: <index> | null}`.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { compileFlow, parseFlow, walkTurn, type CompiledFlow } from '@parley/flow-engine';
import { z } from 'zod';

const intentCase = z.strictObject({
  text: z.string(),
  edges: z.array(z.looseObject({ nl: z.string() })).min(1),
  right: z.int().min(0).nullable(),
});
type IntentCase = z.output<typeof intentCase>;

export interface IntentCounts {
  readonly fitting: number;
  readonly right: number;
  readonly wrong: number;
  readonly others: number;
  /** Of the others: decided all the same. */
  readonly taken: number;
}

/** Prints every .jsonl file of a folder, or one file. */
export function printIntents(paths: readonly string[]): void {
  for (const path of paths) {
    const names = statSync(path).isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path];
    for (const file of names.filter((name) => name.endsWith('.jsonl')).sort())
      console.log(`${file}: ${describe(countIntents(readFileSync(file, 'utf8')))}`);
  }
}

/** @throws ZodError or SyntaxError for a line that is no case */
export function countIntents(lines: string): IntentCounts {
  const counts = { fitting: 0, right: 0, wrong: 0, others: 0, taken: 0 };
  const flows = new Map<string, CompiledFlow>();
  for (const line of lines.split('\n').filter((one) => one.trim() !== '')) {
    const row = intentCase.parse(JSON.parse(line));
    const key = JSON.stringify(row.edges);
    const flow = flows.get(key) ?? compileBranch(row);
    flows.set(key, flow);
    const chosen = choose(flow, row.text);
    if (row.right === null) counts.others += 1;
    else counts.fitting += 1;
    if (chosen === null) continue;
    if (row.right === null) counts.taken += 1;
    else if (chosen === row.right) counts.right += 1;
    else counts.wrong += 1;
  }
  return counts;
}

function compileBranch({ edges }: IntentCase): CompiledFlow {
  const parsed = parseFlow({
    nodes: [
      { id: 'branch', type: 'branch' },
      { id: 'rest', type: 'end' },
      ...edges.map((_, index) => ({ id: `to-${index}`, type: 'end' })),
      { id: 'all', type: 'global', classifier: 'examples_only' },
    ],
    edges: [
      ...edges.map((edge, index) => ({ ...edge, source: 'branch', target: `to-${index}` })),
      { source: 'branch', target: 'rest', default: true },
    ],
  });
  if (!parsed.ok)
    throw new Error(parsed.problems.map(({ path, message }) => `${path}: ${message}`).join('; '));
  return compileFlow(parsed.flow);
}

/** The position of the chosen edge; null = none. */
function choose(flow: CompiledFlow, userInput: string): number | null {
  const step = walkTurn(flow, {
    currentNode: null,
    userInput,
    variables: {},
    nowMs: 0,
    agentMode: 'out_of_band',
    extractorAvailable: false,
  });
  // A branch without any examples would ask a model: without one it chooses none.
  if (step.kind !== 'done' || step.result.kind !== 'turn') return null;
  const [, target] = /^to-(\d+)$/.exec(step.result.lastNode) ?? [];
  return target === undefined ? null : Number(target);
}

function describe({ fitting, right, wrong, others, taken }: IntentCounts): string {
  const share = (count: number, of: number) => `${((100 * count) / Math.max(1, of)).toFixed(1)} %`;
  const told = `right ${share(right, fitting)}, wrong ${share(wrong, fitting)} of ${fitting}`;
  return `${told}; taken ${share(taken, others)} of ${others} that fit none`;
}
