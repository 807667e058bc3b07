// `redact` of the global node: variables whose values are hidden in recordings, events and traces
// (docs/flow-language.md#redaction). Analyses the flow once and collects the values of each turn.
// The service has the keyed hash.
import { listAnsweringEdges } from '@parley/flow-engine/define/commands';
import type { FlowModel } from '@parley/flow-engine/define/model';
import type { Pieces } from '@parley/flow-engine/define/pieces';
import { parsePath, transcriptName, type Bag } from '@parley/flow-engine/read/paths';
import { listAssignments, readVariablesInPieces, type VariableUses } from '../validate/variable-uses.ts';
import { makePathMatcher, makePathReader, listPrefixes } from '../validate/variable-paths.ts';
import type { TurnInput, TurnResult } from '@parley/flow-engine/walk/turn';
import type { RecordedTurn } from './recorded-turn.ts';

export interface Redaction {
  /** As authored. */
  readonly names: readonly string[];
  /** Steps joined by dots: the named variables, and those set from them. */
  readonly paths: ReadonlySet<string>;
  /**
   * Nodes that use one in a text or an action: a filter may have made anything of it, so all their
   * texts are hidden.
   */
  readonly nodes: ReadonlySet<string>;
  /**
   * Collect nodes that ask for one: an utterance there may hold it, even if it was not understood.
   */
  readonly asks: ReadonlySet<string>;
  /** Edges of commands whose words answer one of these. */
  readonly answers: ReadonlySet<number>;
}

/** Variables that one flow may redact. */
const namesMax = 1_000;

/** Null: the flow redacts nothing. */
export function* findRedactionInPieces(flow: FlowModel): Pieces<Redaction | null> {
  const global = flow.nodes.find((node) => node.type === 'global');
  const authored = global?.raw['redact'];
  const listed: readonly unknown[] = Array.isArray(authored) ? authored : [authored];
  const names = listed.filter((name) => typeof name === 'string').slice(0, namesMax);
  const named = names.flatMap((name) => parsePath(name)?.join('.') ?? []);
  if (named.length === 0) return null;

  const { reads, writes } = yield* readVariablesInPieces(flow, makePathReader());
  const paths = yield* addDerived(flow, new Set(named), reads);
  const isSecret = makePathMatcher(paths);
  const nodes = new Set<string>();
  for (const { node, edge, path } of reads) {
    yield;
    if (node === null || edge !== null || !isSecret(path)) continue;
    nodes.add(node.id);
    if (node.type === 'autonomous' && node.outputVar !== null) paths.add(node.outputVar);
  }
  // Now with the results of agents that read secrets.
  const isAsked = makePathMatcher(paths);
  const asks = new Set<string>();
  for (const { by, path, node } of writes) {
    yield;
    if ((by === 'collect' || by === 'also' || by === 'extraction') && isAsked(path)) asks.add(node.id);
  }
  // An agent that talks reads the utterances that hold secrets.
  for (const { id, waitsFor } of flow.nodes) if (waitsFor === 'talk' && asks.size > 0) nodes.add(id);
  const answers = listAnsweringEdges(flow).filter(({ target }) => asks.has(target));
  return {
    names,
    paths,
    nodes,
    asks,
    answers: new Set(answers.map(({ index }) => index)),
  };
}

type Reads = VariableUses['reads'];

/**
 * Adds the variables that `set` derives from secret ones, transitively. Visits each once, however
 * long the chain.
 */
function* addDerived(flow: FlowModel, named: ReadonlySet<string>, reads: Reads): Pieces<Set<string>> {
  const madeBy = new Map<string, string>();
  for (const node of flow.nodes) {
    for (const { index, variable } of listAssignments(node)) {
      const path = parsePath(variable)?.join('.');
      if (path !== undefined) madeBy.set(`/nodes/${node.index}/set/${index}`, path);
    }
    yield;
  }
  /** Derived from a path itself, and from it or a path inside it. */
  const ofItself = new Map<string, string[]>();
  const ofInside = new Map<string, string[]>();
  for (const { at, path } of reads) {
    yield;
    const made = madeBy.get(/^\/nodes\/\d+\/set\/\d+/.exec(at)?.[0] ?? '');
    if (made === undefined) continue;
    add(ofItself, path, made);
    for (const prefix of listPrefixes(path)) add(ofInside, prefix, made);
  }
  const paths = new Set(named);
  const left = [...named];
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    yield;
    const made = [
      takeOnce(ofInside, path),
      ...listPrefixes(path).map((prefix) => takeOnce(ofItself, prefix)),
    ].flat();
    for (const other of made) {
      if (paths.has(other)) continue;
      paths.add(other);
      left.push(other);
    }
  }
  return paths;
}

function add(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** Each list once: afterwards its variables are secret. */
function takeOnce(lists: Map<string, string[]>, key: string): readonly string[] {
  const list = lists.get(key) ?? [];
  lists.delete(key);
  return list;
}

/** Replaces values of one turn by their redacted form. */
export interface Redactor {
  utterance(text: string): string;
  /** An output text of the node. */
  redactText(text: string, nodeId: string): string;
  bag(bag: Bag): Bag;
  turn(turn: RecordedTurn): RecordedTurn;
}

/** Values that are searched for in texts; a turn with more has all texts hidden. */
const valuesMax = 100;
/** A shorter value is searched for as a whole word: a "7" occurs in many texts. */
const distinctiveChars = 4;

/**
 * @param hash a keyed hash: equal values get equal marks, and no one finds the value without the
 * key
 */
export function makeRedactor(
  redaction: Redaction,
  { currentNode, userInput, variables }: Pick<TurnInput, 'currentNode' | 'userInput' | 'variables'>,
  result: Pick<TurnResult, 'variables' | 'taken'>,
  hash: (text: string) => string,
): Redactor {
  const { paths, nodes, asks, answers, names } = redaction;
  const token = (value: unknown) => `[redacted ${hash(toText(value))}]`;
  const [called] = result.taken;
  const isAnswer =
    (currentNode !== null && asks.has(currentNode)) || (called !== undefined && answers.has(called));

  const values = new Set<string>(isAnswer && userInput ? [userInput.trim()] : []);
  for (const bag of [variables, result.variables])
    for (const path of paths) collectLeaves(valueAt(bag, path.split('.')), values);
  values.delete('');
  const found = values.size === 0 || values.size > valuesMax ? null : occurrences(values);
  const text = (original: string): string => {
    if (values.size > valuesMax) return token(original);
    return found === null ? original : original.replace(found, (value) => token(value));
  };

  function shown(value: unknown, path: string): unknown {
    if ((paths.has(path) || path === transcriptName) && value !== null && value !== undefined)
      return token(value);
    if (typeof value === 'string') return text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((element, at) => shown(element, below(path, String(at))));
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, shown(member, below(path, name))]),
    );
  }
  const bag = (whole: Bag) => shown(whole, '') as Bag;
  const redactText = (original: string, nodeId: string) =>
    nodes.has(nodeId) ? token(original) : text(original);
  const utterance = (original: string) => (isAnswer ? token(original.trim()) : text(original));
  /** For a node that handles a secret: everything that may hold a value. */
  const hidden = (members: Bag): Bag =>
    Object.fromEntries(
      Object.entries(members).map(([name, value]) => [
        name,
        alwaysVisible.has(name) ? value : hide(value, token),
      ]),
    );

  return {
    utterance,
    redactText,
    bag,
    turn: (turn) => ({
      ...turn,
      input: turn.input && {
        ...turn.input,
        user_input: turn.input.user_input === null ? null : utterance(turn.input.user_input),
        ...(turn.input.answer === undefined
          ? {}
          : { answer: shown(turn.input.answer, '') as typeof turn.input.answer }),
      },
      variables_in: turn.variables_in && bag(turn.variables_in),
      variables_set: turn.variables_set && bag(turn.variables_set),
      answers:
        turn.answers?.map((given) => {
          if (given.kind === 'classify') return given;
          if (given.kind === 'run_agent') {
            const answer = nodes.has(given.node_id) ? hidden(given.answer) : shown(given.answer, '');
            return { ...given, answer: answer as typeof given.answer };
          }
          const { answer } = given;
          if (answer.kind === 'unavailable') return given;
          // A second reader quotes a part of the secret, which is no variable.
          const values = asks.has(given.node_id) ? hidden(answer.values) : bag(answer.values);
          return { ...given, answer: { ...answer, values } };
        }) ?? null,
      messages:
        turn.messages?.map((message) => ({ ...message, text: redactText(message.text, message.node_id) })) ??
        null,
      actions:
        turn.actions?.map((action) =>
          nodes.has(String(action['node_id'])) ? hidden(action) : (shown(action, '') as typeof action),
        ) ?? null,
      redacted: [...names],
    }),
  };
}

/** Members of actions and outcomes that describe the action and hold no values. */
const alwaysVisible: ReadonlySet<string> = new Set([
  'type',
  'node_id',
  'mode',
  'status',
  'iterations',
  'max_iterations',
  'turn_budget',
  'output_var',
  'target',
  'tool',
  'ok',
  'ms',
]);

function hide(value: unknown, token: (value: unknown) => string): unknown {
  if (typeof value === 'string' || typeof value === 'number') return token(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => hide(element, token));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      alwaysVisible.has(name) ? member : hide(member, token),
    ]),
  );
}

const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function valueAt(bag: Bag, steps: readonly string[]): unknown {
  let value: unknown = bag;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

/** The texts by which a value is recognised. Without truth values: every text says yes or no. */
function collectLeaves(value: unknown, into: Set<string>): void {
  if (into.size > valuesMax) return;
  if (typeof value === 'string') into.add(value.trim());
  else if (typeof value === 'number') into.add(String(value));
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) collectLeaves(member, into);
}

function occurrences(values: ReadonlySet<string>): RegExp {
  const longestFirst = [...values].sort((a, b) => b.length - a.length);
  const alternatives = longestFirst.map((value) => {
    const literal = value.replaceAll(
      /[\\^$.*+?()[\]{}|/-]/g,
      (char) => `\\u{${char.charCodeAt(0).toString(16)}}`,
    );
    return value.length < distinctiveChars ? `(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])` : literal;
  });
  return new RegExp(alternatives.join('|'), 'giu');
}
