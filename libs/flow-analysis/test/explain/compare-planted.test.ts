// Planted changes in the example flows (docs/why.md#compare): the comparison finds each that a
// conversation shows, at the first turn that shows it. This test decides by playing, not by the
// comparison.
import { describe, expect, test } from '@jest/globals';
import { compareBehaviour } from '../../src/explain/compare/compare-behaviour.ts';
import { generatedNowMs, generateTests } from '../../src/explain/generate-tests.ts';
import { findEdges, type FoundEdges } from '../../src/explain/search/find-edges.ts';
import { playScripted, type ScriptTurn, type Standing } from '../../src/explain/script.ts';
import type { CompiledFlow } from '@parley/flow-engine';
import { exampleFlows, flowFrom } from '../recording.ts';

type Members = Readonly<Record<string, unknown>>;
interface Definition {
  readonly nodes: readonly Members[];
  readonly edges: readonly Members[];
  readonly start?: string;
}

/** Changes of each kind in one flow: each is a comparison. */
const PLANTED_MAX = 4;
const TEXTS = ['prompt', 'text', 'message'];

/** Each flow is compared with many, and searched once. */
const searched = new WeakMap<CompiledFlow, FoundEdges>();
const search: typeof findEdges = (flow, playing) => {
  const found = searched.get(flow) ?? findEdges(flow, playing);
  searched.set(flow, found);
  return found;
};

const compare = (from: CompiledFlow, to: CompiledFlow) =>
  compareBehaviour(from, to, {
    scripts: [],
    turns: [],
    recordedOn: () => from.model,
    nowMs: generatedNowMs,
    search,
  });

/** The texts and the next node, turn by turn. */
function heard(flow: CompiledFlow, turns: readonly ScriptTurn[], variables: Members): string[] {
  const told: string[] = [];
  let standing: Standing = { currentNode: null, variables };
  for (const turn of turns) {
    const outcome = playScripted(flow, turn, standing, { nowMs: generatedNowMs });
    if (outcome.kind !== 'turn') return [...told, outcome.kind];
    const { outputs, status, nextNode } = outcome;
    // The run spec of an agent is not recorded, so it is not compared.
    const actions = outcome.actions.map((action) => (action.type === 'autonomous' ? action.type : action));
    told.push(JSON.stringify([outputs.map(({ text }) => text), actions, status, nextNode]));
    if (nextNode === null) return told;
    standing = { currentNode: nextNode, variables: outcome.variables };
  }
  return told;
}

/** The number of turns up to the first that differs, included; Infinity if none does. */
function partsAfter(
  from: CompiledFlow,
  to: CompiledFlow,
  turns: readonly ScriptTurn[],
  variables: Members = {},
) {
  const [was, is] = [heard(from, turns, variables), heard(to, turns, variables)];
  const at = was.findIndex((one, index) => one !== is[index]);
  return at === -1 ? Infinity : at + 1;
}

const some = <Item>(all: readonly Item[]): Item[] => {
  const step = Math.max(1, Math.ceil(all.length / PLANTED_MAX));
  return all.filter((_, index) => index % step === 0);
};
const placesOf = (items: readonly Members[], fits: (item: Members) => boolean) =>
  some(items.flatMap((item, at) => (fits(item) ? [at] : [])));
const replaced = <Item>(items: readonly Item[], at: number, by: Item) =>
  items.map((item, index) => (index === at ? by : item));

/** Changes the text of some nodes and the target of some edges, and removes some edges. */
function plantedIn(definition: Definition): [string, Definition][] {
  const { nodes, edges } = definition;
  const says = (node: Members) => TEXTS.some((name) => typeof node[name] === 'string');
  const texts = placesOf(nodes, says).map((at): [string, Definition] => {
    const name = TEXTS.find((one) => typeof nodes[at]![one] === 'string')!;
    const changed = { ...nodes[at]!, [name]: `${nodes[at]![name] as string} Really.` };
    return [
      `the ${name} of ${String(nodes[at]!['id'])}`,
      { ...definition, nodes: replaced(nodes, at, changed) },
    ];
  });
  const last = nodes.findLast(({ type }) => type === 'end')!;
  const isWay = ({ target }: Members) => target !== last['id'];
  const targets = placesOf(edges, isWay).map((at): [string, Definition] => {
    const changed = { ...edges[at]!, target: last['id'] };
    return [`the target of edge ${at}`, { ...definition, edges: replaced(edges, at, changed) }];
  });
  const gone = placesOf(edges, () => true).map((at): [string, Definition] => [
    `edge ${at}, gone`,
    { ...definition, edges: edges.filter((_, index) => index !== at) },
  ]);
  return [...texts, ...targets, ...gone];
}

describe.each(exampleFlows())('%s', (_, example) => {
  const definition = example.definition as Definition;
  const flow = flowFrom(definition);
  const { tests } = generateTests(flow);
  const noticed: string[] = [];

  test.each(plantedIn(definition))('%s', (what, changed) => {
    const to = flowFrom(changed);
    const first = Math.min(
      ...tests.map(({ test: script }) => partsAfter(flow, to, script.turns, script.variables)),
    );
    const diff = compare(flow, to);
    if (first !== Infinity) {
      noticed.push(what);
      expect(diff).toMatchObject({ same: false });
      expect(diff.groups[0]!.example.turns.length).toBeLessThanOrEqual(first);
    }
    for (const { example: told, sentence } of diff.groups) {
      expect(sentence).not.toBe('');
      expect(told.differences.length).toBeGreaterThan(0);
    }
  });

  test('notices most changes, so the test proves something', () =>
    expect(noticed.length).toBeGreaterThan(PLANTED_MAX));

  test('reports nothing when only the ids of nodes changed', () => {
    const other = (id: unknown) => `other_${String(id)}`;
    // The id decides between several wordings.
    const plain = { ...definition, nodes: definition.nodes.map(({ variants: _wordings, ...node }) => node) };
    const renamed = {
      ...plain,
      ...(definition.start === undefined ? {} : { start: other(definition.start) }),
      nodes: plain.nodes.map((node) => ({ ...node, id: other(node['id']) })),
      edges: definition.edges.map((edge) => ({
        ...edge,
        source: other(edge['source']),
        target: other(edge['target']),
      })),
    };
    expect(compare(flowFrom(plain), flowFrom(renamed))).toMatchObject({ same: true, groups: [] });
  });
});
