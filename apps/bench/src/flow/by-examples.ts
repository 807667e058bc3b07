// A turn whose branch learned from examples, against the same turn decided by a comparison, both
// over HTTP and without a model (docs/branches-without-a-model.md).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { underLoad, type Aim } from '../http-load.ts';
import type { Part } from '../suites.ts';
import { withMeasuredBuilder } from './measured-builder.ts';

const WINDOW_SECONDS = 3;
const EXAMPLES = 'examples of eight branches';
const COMPARISON = 'a comparison a branch';
const CLINIC = 'apps/flow-builder/examples/clinic-front-desk.json';

interface Edge {
  readonly source: string;
  readonly target: string;
  readonly examples?: readonly string[];
}

interface Definition {
  readonly nodes: readonly object[];
  readonly edges: readonly Edge[];
}

export const byExamplesPart: Part = {
  title: 'branches by examples over HTTP',
  open: (setting, measure) =>
    withMeasuredBuilder(setting, async ({ origin, pid, headers, load }) => {
      const { definition } = JSON.parse(readFileSync(join(setting.root, CLINIC), 'utf8')) as {
        definition: Definition;
      };
      const branches = definition.edges.filter(({ source, examples }) => source === 'ask' && examples);
      const aims = new Map<string, Aim>();
      for (const [name, flow] of [
        [EXAMPLES, definition],
        [COMPARISON, compareInstead(definition)],
      ] as const) {
        const id = name.replaceAll(' ', '-');
        await post(`${origin}/v1/flows`, headers, { flow_id: id, definition: flow });
        await post(`${origin}/v1/flows/${id}/publish`, headers, {});
        const aim = aimAt(`${origin}/product/v1/flows/${id}/execute`, headers, branches);
        await refuseOtherBranches(aim, branches);
        aims.set(name, aim);
      }
      await measure({
        title: 'A turn that takes one of eight branches, over HTTP',
        operation: 'request',
        windowSeconds: WINDOW_SECONDS,
        variants: [...aims].map(([name, aim]) => underLoad(name, load, pid, aim)),
        ratios: [{ of: 'rate', over: EXAMPLES, under: COMPARISON, atLeast: 0.9 }],
        note: 'no answer equals an example, so the embedded classifier decides each',
      });
    }),
};

/** The same flow with a comparison in the place of each condition that has examples. */
function compareInstead(definition: Definition): Definition {
  const edges = definition.edges.map(({ source, target, examples, ...rest }) =>
    examples === undefined
      ? { source, target, ...rest }
      : { source, target, variable: 'wish', op: 'contains', value: examples[0] },
  );
  return { ...definition, edges };
}

const utteranceOf = ({ examples }: Edge): string => `${examples![0]} please`;

function aimAt(url: string, headers: Aim['headers'], branches: readonly Edge[]): Aim {
  const bodies = branches.map((branch) =>
    JSON.stringify({ current_node: 'ask', user_input: utteranceOf(branch), variables: {} }),
  );
  return { url, headers, bodies, marker: '"status":"completed"' };
}

/** Each answer takes the branch whose example it was made from. */
async function refuseOtherBranches({ url, headers, bodies }: Aim, branches: readonly Edge[]): Promise<void> {
  for (const [index, body] of bodies.entries()) {
    const response = await fetch(`${url}?trace=true`, { method: 'POST', headers, body });
    const answer = await response.text();
    if (!response.ok || !answer.includes(`"${branches[index]!.target}"`))
      throw new Error(`${url} does not take the branch to ${branches[index]!.target}: ${answer}`);
  }
}

async function post(url: string, headers: Aim['headers'], body: object): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${url}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}
