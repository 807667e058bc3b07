// Random flows with commands, and a second walker that is independent of the engine: written from
// docs/flow-language.md#commands alone.
import fc from 'fast-check';

export interface Node {
  readonly id: string;
  readonly type: string;
  readonly resume?: boolean;
  readonly cast?: string;
  readonly max_attempts?: number;
  readonly priority?: string;
  readonly answers_question?: boolean;
}
export interface Edge {
  readonly source: string;
  readonly target: string;
  readonly variable: string;
  readonly op: string;
  readonly value?: string;
}
export interface Flow {
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
}
/** The state after a turn: where it waits, and its interrupted questions. */
export interface State {
  readonly at: string | null;
  readonly stack: readonly string[];
  readonly failures: Readonly<Record<string, number>>;
}

const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const anyId = fc.constantFrom(...ids);
const kind = fc.constantFrom('message', 'branch', ...Array<string>(5).fill('collect'), 'end', 'back');
export const commandIds = ['first', 'second', 'third'];

/** The last of them answers every question. */
const wordOf = (place: number) => (place === 3 ? 'friday' : `word${place}`);

/**
 * Every edge has a variable of its own and every command a word, so that variables and a word
 * choose any way.
 */
export const flows = fc
  .record({
    kinds: fc.tuple(...ids.map(() => kind)),
    casts: fc.array(fc.constantFrom('string', 'date'), { minLength: 7, maxLength: 7 }),
    attempts: fc.array(fc.option(fc.integer({ min: 1, max: 2 })), { minLength: 7, maxLength: 7 }),
    priorities: fc.array(fc.constantFrom('before', 'after'), { minLength: 3, maxLength: 3 }),
    answering: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
    links: fc.array(fc.tuple(anyId, anyId), { minLength: 4, maxLength: 14 }),
    calls: fc.array(fc.tuple(fc.constantFrom(...commandIds), anyId), { minLength: 1, maxLength: 4 }),
  })
  .map(({ kinds, casts, attempts, priorities, answering, links, calls }): Flow => {
    const nodes = ids.map((id, place) => ({
      id,
      type: kinds[place] === 'back' ? 'end' : kinds[place]!,
      ...(kinds[place] === 'back' ? { resume: true } : {}),
      ...(kinds[place] === 'collect' ? { variable: `of_${id}`, cast: casts[place]!, prompt: id } : {}),
      ...(kinds[place] === 'collect' && attempts[place] != null ? { max_attempts: attempts[place] } : {}),
    }));
    const commands = commandIds.map((id, place) => ({
      id,
      type: 'trigger',
      on: 'any_turn',
      priority: priorities[place]!,
      ...(answering[place]! ? { answers_question: true } : {}),
    }));
    const own = links.map(([source, target], place) => ({
      source,
      target,
      variable: `e${place}`,
      op: 'is_true',
    }));
    const called = calls.map(([source, target], place) => ({
      source,
      target,
      variable: 'user_input',
      op: 'eq',
      value: wordOf(place),
    }));
    return { nodes: [...nodes, ...commands], edges: [...own, ...called] };
  });

export const nodeOf = (flow: Flow, id: string): Node => flow.nodes.find((node) => node.id === id)!;
export const edgesFrom = (flow: Flow, source: string) => flow.edges.filter((edge) => edge.source === source);
const questionsOf = (flow: Flow) => flow.nodes.filter(({ type }) => type === 'collect');
export const isEnd = ({ type }: Node) => type === 'end';

/** Words that a date cast reads, and words that it does not. */
const isAnswer = (node: Node, said: string) => node.cast === 'string' || said === 'friday';

/**
 * One turn by the rules of the page. `open` are the variables that are true. Null = an endless
 * cycle.
 */
export function walkByThePage(
  flow: Flow,
  before: State,
  said: string | null,
  open: ReadonlySet<string>,
): (State & { readonly visited: readonly string[] }) | null {
  let stack = [...before.stack];
  let failures = { ...before.failures };
  const visited: string[] = [];
  const wayOut = (id: string) => edgesFrom(flow, id).find(({ variable }) => open.has(variable))?.target;
  const calledBy = (priority: string) =>
    flow.nodes
      .filter((node) => node.type === 'trigger' && node.priority === priority)
      .flatMap(({ id }) => edgesFrom(flow, id))
      .find(({ value }) => value === said);
  const waitAt = (id: string) => ({ at: id, stack, failures, visited });
  const begin = (id: string) => {
    const { [id]: _begun, ...others } = failures;
    failures = others;
    if (stack.includes(id)) stack = stack.slice(0, stack.indexOf(id));
  };

  let at = before.at ?? 'a';
  const node = nodeOf(flow, at);
  if (before.at !== null && node.type === 'collect') {
    visited.push(at);
    const fails = said === null || !isAnswer(node, said);
    const own = fails ? undefined : wayOut(at);
    const command =
      said === null ? undefined : (calledBy('before') ?? (own === undefined ? calledBy('after') : undefined));
    if (command !== undefined) {
      if (stack.length < 3) stack = [...stack, at];
      at = command.target;
      const called = nodeOf(flow, at);
      if (nodeOf(flow, command.source).answers_question === true && called.type === 'collect') {
        if (isAnswer(called, said!)) {
          visited.push(at);
          begin(at);
          const next = wayOut(at);
          if (next === undefined) return waitAt(at);
          at = next;
        }
      }
    } else {
      const { [at]: failed = 0, ...others } = failures;
      if (fails && failed + 1 < (node.max_attempts ?? Infinity)) {
        failures = { ...others, [at]: failed + 1 };
        return waitAt(at);
      }
      failures = others;
      const next = wayOut(at);
      if (next === undefined) return waitAt(at);
      at = next;
    }
  }
  for (;;) {
    if (visited.length > 100) return null;
    visited.push(at);
    const here = nodeOf(flow, at);
    if (here.type === 'collect') {
      begin(at);
      return waitAt(at);
    }
    if (isEnd(here)) {
      const back = here.resume === true ? stack.pop() : undefined;
      if (back === undefined) return { at: null, stack: [], failures, visited };
      visited.push(back);
      return waitAt(back);
    }
    const next = wayOut(at);
    if (next === undefined) return waitAt(at);
    at = next;
  }
}

/** Every node that some conversation visits, by any edges and any words. */
export function visitable(flow: Flow): ReadonlySet<string> {
  const called = questionsOf(flow).length > 0 ? targetsOf(flow, commandIds) : [];
  const seen = new Set(['a']);
  for (const id of seen) {
    for (const { target } of edgesFrom(flow, id)) if (!isEnd(nodeOf(flow, id))) seen.add(target);
    if (nodeOf(flow, id).type === 'collect') for (const target of called) seen.add(target);
  }
  return seen;
}
const targetsOf = (flow: Flow, sources: readonly string[]) =>
  sources.flatMap((source) => edgesFrom(flow, source).map(({ target }) => target));

/**
 * The longest turn from any node that some conversation visits, with something interrupted or not;
 * Infinity if one never ends.
 */
export function longestByTrying(flow: Flow): number {
  const visited = visitable(flow);
  const canGoBack = questionsOf(flow).some(({ id }) => visited.has(id));
  const onwards = (id: string, path: readonly string[]): number => {
    const node = nodeOf(flow, id);
    if (path.includes(id)) return Infinity;
    if (node.type === 'collect') return 1;
    if (isEnd(node)) return node.resume === true && canGoBack ? 2 : 1;
    return 1 + Math.max(0, ...edgesFrom(flow, id).map(({ target }) => onwards(target, [...path, id])));
  };
  const called = targetsOf(flow, commandIds);
  const answered = canGoBack
    ? targetsOf(
        flow,
        commandIds.filter((id) => nodeOf(flow, id).answers_question),
      )
    : [];
  return Math.max(
    ...answered
      .filter((id) => nodeOf(flow, id).type === 'collect')
      .map((id) => 2 + Math.max(0, ...targetsOf(flow, [id]).map((target) => onwards(target, [])))),
    ...[...visited].map((id) => {
      if (nodeOf(flow, id).type !== 'collect') return onwards(id, []);
      const targets = [...edgesFrom(flow, id).map(({ target }) => target), ...called];
      return 1 + Math.max(0, ...targets.map((target) => onwards(target, [])));
    }),
  );
}

/**
 * Some conversation from the start completes: tried state by state, with the interrupted questions
 * of each.
 */
export function canEnd(flow: Flow): boolean {
  const called = targetsOf(flow, commandIds);
  const seen = new Set<string>();
  const left: (readonly [string, readonly string[]])[] = [['a', []]];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [id, arrived] = next;
    const node = nodeOf(flow, id);
    const place = arrived.indexOf(id);
    const stack = place === -1 ? arrived : arrived.slice(0, place);
    const key = `${id} ${stack.join()}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (isEnd(node)) {
      if (node.resume !== true || stack.length === 0) return true;
      left.push([stack.at(-1)!, stack.slice(0, -1)]);
      continue;
    }
    for (const { target } of edgesFrom(flow, id)) left.push([target, stack]);
    if (node.type === 'collect')
      for (const target of called) left.push([target, stack.length < 3 ? [...stack, id] : stack]);
  }
  return false;
}
