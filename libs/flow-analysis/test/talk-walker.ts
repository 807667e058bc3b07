// Random flows with agents that talk, and a walker that is independent of the engine: written from
// docs/flow-language.md#agents-that-talk alone.
import fc from 'fast-check';

interface Node {
  readonly id: string;
  readonly type: string;
  readonly text?: string;
  readonly prompt?: string;
  readonly max_turns?: number;
}
interface Edge {
  readonly source: string;
  readonly target: string;
  readonly variable?: string;
  readonly nl?: string;
  readonly default?: true;
}
export interface TalkFlow {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}
/** How one run of the agent ends; `branch` may name no edge. */
export interface Run {
  readonly status: 'replied' | 'goal_reached' | 'max_iterations' | 'budget_exhausted' | 'error';
  readonly branch: number | null;
}
export interface TalkState {
  readonly at: string | null;
  /** Utterances that the agent at `at` has answered. */
  readonly turns: number;
}
export interface TalkTurn extends TalkState {
  readonly texts: readonly string[];
  readonly visited: readonly string[];
  readonly noRoute: boolean;
}

const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
const anyId = fc.constantFrom(...ids);

export const talkFlows: fc.Arbitrary<TalkFlow> = fc
  .record({
    kinds: fc.tuple(
      ...ids.map(() => fc.constantFrom('message', 'collect', 'talk', 'talk', 'talk', 'talk', 'end')),
    ),
    bounds: fc.tuple(...ids.map(() => fc.integer({ min: 1, max: 3 }))),
    links: fc.array(fc.tuple(anyId, anyId, fc.constantFrom('variable', 'nl', 'nl')), {
      minLength: 2,
      maxLength: 12,
    }),
    defaults: fc.tuple(...ids.map(() => fc.option(anyId, { freq: 4 }))),
  })
  .map(({ kinds, bounds, links, defaults }) => {
    const nodes = ids.map((id, place): Node => {
      const type = kinds[place]!;
      if (type === 'message') return { id, type, text: `text of ${id}` };
      if (type === 'collect') return { id, type, prompt: `question of ${id}` };
      if (type !== 'talk') return { id, type };
      const talk = { id, type: 'autonomous', goal: id, converse: true, max_turns: bounds[place]! };
      return talk;
    });
    const edges = links.map(([source, target, kind], place): Edge => {
      const condition =
        kind === 'nl' ? { nl: `condition ${place}` } : { variable: `e${place}`, op: 'is_true' };
      return { source, target, ...condition };
    });
    const fallbacks = defaults.flatMap((target, place): Edge[] =>
      target === null ? [] : [{ source: ids[place]!, target, default: true }],
    );
    return {
      nodes,
      edges: [...edges, ...fallbacks].filter(({ source }) => kinds[ids.indexOf(source)] !== 'end'),
    };
  });

const nodeOf = ({ nodes }: TalkFlow, id: string): Node => nodes.find((node) => node.id === id)!;
const edgesFrom = ({ edges }: TalkFlow, id: string) => edges.filter(({ source }) => source === id);
const isTalk = ({ type }: Node) => type === 'autonomous';
const hasFailed = ({ status }: Run) => status !== 'replied' && status !== 'goal_reached';

/**
 * One turn by the page. Out of band it stands for the turns up to the one that waits for the
 * caller. Null = an endless cycle.
 * @param words the next words of the agent, and how its run ended
 */
export function talkByThePage(
  flow: TalkFlow,
  before: TalkState,
  { said, open }: { readonly said: string | null; readonly open: ReadonlySet<string> },
  mode: 'in_process' | 'out_of_band',
  words: () => Run & { readonly text: string },
): TalkTurn | null {
  const texts: string[] = [];
  const visited: string[] = [];
  const compared = (id: string) =>
    edgesFrom(flow, id).find(({ variable }) => open.has(variable ?? ''))?.target;
  const fallback = (id: string) => edgesFrom(flow, id).find((edge) => edge.default === true)?.target;
  const waits = (at: string, turns: number, noRoute = false) => ({ at, turns, texts, visited, noRoute });
  const speak = () => {
    const run = words();
    if (run.text !== '') texts.push(run.text);
    return run;
  };
  let at: string | undefined = before.at ?? 'a';
  if (before.at !== null && !['message', 'end'].includes(nodeOf(flow, before.at).type)) {
    const node = nodeOf(flow, before.at);
    visited.push(node.id);
    if (!isTalk(node) && said === null) {
      texts.push(node.prompt!);
      return waits(node.id, 0);
    }
    at = compared(node.id);
    let turns = before.turns;
    if (!isTalk(node)) at ??= fallback(node.id);
    else if (at === undefined && turns >= node.max_turns!) at = fallback(node.id);
    else if (at === undefined) {
      turns += 1;
      const run = speak();
      const chosen = edgesFrom(flow, node.id).filter(({ nl }) => nl !== undefined)[run.branch ?? -1];
      if (!hasFailed(run) && chosen !== undefined) at = chosen.target;
      else if (hasFailed(run) || turns >= node.max_turns!) at = fallback(node.id);
      else return waits(node.id, turns);
    }
    if (at === undefined) return waits(node.id, turns, true);
  }
  for (;;) {
    if (visited.length > 100) return null;
    const node = nodeOf(flow, at);
    visited.push(node.id);
    if (node.type === 'end') return { at: null, turns: 0, texts, visited, noRoute: false };
    if (node.type === 'collect') {
      texts.push(node.prompt!);
      return waits(node.id, 0);
    }
    if (isTalk(node)) {
      const run = speak();
      if (!hasFailed(run)) return waits(node.id, 0);
      if (mode === 'in_process') return waits(node.id, node.max_turns!);
    } else texts.push(node.text!);
    const next: string | undefined = compared(node.id) ?? fallback(node.id);
    if (next === undefined) return waits(node.id, 0, true);
    at = next;
  }
}

/** The longest turn from a node that some conversation visits; Infinity if one never ends. */
export function longestTalkTurn(flow: TalkFlow): number {
  const isWait = (id: string) => nodeOf(flow, id).type === 'collect' || isTalk(nodeOf(flow, id));
  const longest = (targets: readonly Edge[], path: readonly string[]): number =>
    Math.max(0, ...targets.map(({ target }) => onwards(target, path)));
  const onwards = (id: string, path: readonly string[]): number => {
    if (path.includes(id)) return Infinity;
    return isWait(id) ? 1 : 1 + longest(edgesFrom(flow, id), [...path, id]);
  };
  const visited = new Set(['a']);
  for (const id of visited) for (const { target } of edgesFrom(flow, id)) visited.add(target);
  return Math.max(
    ...[...visited].map((id) => (isWait(id) ? 1 + longest(edgesFrom(flow, id), []) : onwards(id, []))),
  );
}
