// `redact` of the global node: variables whose values are told to nobody who hears of a turn (docs/flow-language.md#redaction). What is found of
// the flow is found once; what a turn knows of the values is gathered for each turn. The keyed hash is the service's.
import { answeringEdges } from '../define/commands.ts';
import type { FlowModel } from '../define/model.ts';
import { parsePath, type Bag } from '../read/paths.ts';
import { assignmentsOf, pathMatcher, pathReader, readVariables } from '../validate/variable-uses.ts';
import type { TurnInput, TurnResult } from '../walk/turn.ts';
import type { RecordedTurn } from './recorded-turn.ts';

export interface Redaction {
  /** As authored. */
  readonly names: readonly string[];
  /** Steps joined by dots: those named, and those that are set from them. */
  readonly paths: ReadonlySet<string>;
  /** Nodes that say or do something with one: a filter may have made anything of it, so nothing that they say is told. */
  readonly nodes: ReadonlySet<string>;
  /** Collect nodes that ask for one: what is said there may be it, also when it was not understood. */
  readonly asks: ReadonlySet<string>;
  /** Edges of commands whose words answer one of these. */
  readonly answers: ReadonlySet<number>;
}

/** Variables that one flow may redact. */
const namesMax = 1_000;
/** How often variables that are set from others are looked for; whatever is still found then counts as secret. */
const passesMax = 100;

/** null: the flow redacts nothing. */
export function redactionOf(flow: FlowModel): Redaction | null {
  const global = flow.nodes.find((node) => node.type === 'global');
  const authored = global?.raw['redact'];
  const listed: readonly unknown[] = Array.isArray(authored) ? authored : [authored];
  const names = listed.filter((name) => typeof name === 'string').slice(0, namesMax);
  const named = names.flatMap((name) => parsePath(name)?.join('.') ?? []);
  if (named.length === 0) return null;

  const { reads, writes } = readVariables(flow, pathReader());
  const paths = withDerived(flow, new Set(named), reads);
  const isSecret = pathMatcher(paths);
  const ofSecrets = reads.flatMap(({ node, edge, path }) =>
    node !== null && edge === null && isSecret(path) ? [node] : [],
  );
  for (const { type, outputVar } of ofSecrets)
    if (type === 'autonomous' && outputVar !== null) paths.add(outputVar);
  const asked = writes.filter(
    ({ by, path }) => (by === 'collect' || by === 'extraction') && pathMatcher(paths)(path),
  );
  const asks = new Set(asked.map(({ node }) => node.id));
  const answers = answeringEdges(flow).filter(({ target }) => asks.has(target));
  return {
    names,
    paths,
    nodes: new Set(ofSecrets.map(({ id }) => id)),
    asks,
    answers: new Set(answers.map(({ index }) => index)),
  };
}

type Reads = ReturnType<typeof readVariables>['reads'];

/** With the variables that `set` makes of secret ones, and of those again. */
function withDerived(flow: FlowModel, paths: Set<string>, reads: Reads): Set<string> {
  const readAt = new Map<string, string[]>();
  for (const { at, path } of reads) readAt.set(at, [...(readAt.get(at) ?? []), path]);
  const sets = flow.nodes.flatMap((node) =>
    assignmentsOf(node).flatMap(({ index, variable, op }) => {
      const at = `/nodes/${node.index}/set/${index}/${op}`;
      const from = [...readAt].flatMap(([place, read]) =>
        place === at || place.startsWith(`${at}/`) ? read : [],
      );
      const to = parsePath(variable)?.join('.');
      return to === undefined || from.length === 0 ? [] : [{ from, to }];
    }),
  );
  for (let pass = 0; ; pass += 1) {
    const isSecret = pathMatcher(paths);
    const found = sets.filter(({ from, to }) => !paths.has(to) && (pass >= passesMax || from.some(isSecret)));
    if (found.length === 0) return paths;
    for (const { to } of found) paths.add(to);
  }
}

/** What is told of one turn in the place of what happened in it. */
export interface Redactor {
  utterance(text: string): string;
  /** A text that the node said. */
  said(text: string, nodeId: string): string;
  bag(bag: Bag): Bag;
  turn(turn: RecordedTurn): RecordedTurn;
}

/** Values whose text is looked for in others; of a turn with more, no text is told at all. */
const valuesMax = 100;
/** A shorter value is looked for as a word of its own: a "7" stands in many texts. */
const distinctiveChars = 4;

/** @param hash a keyed hash: equal values are told alike, and nobody finds the value without the key */
export function redactorOf(
  redaction: Redaction,
  { currentNode, userInput, variables }: Pick<TurnInput, 'currentNode' | 'userInput' | 'variables'>,
  result: Pick<TurnResult, 'variables' | 'taken'>,
  hash: (text: string) => string,
): Redactor {
  const { paths, nodes, asks, answers, names } = redaction;
  const token = (value: unknown) => `[redacted ${hash(textOf(value))}]`;
  const [called] = result.taken;
  const isAnswer =
    (currentNode !== null && asks.has(currentNode)) || (called !== undefined && answers.has(called));

  const values = new Set<string>(isAnswer && userInput ? [userInput.trim()] : []);
  for (const bag of [variables, result.variables])
    for (const path of paths) leavesOf(valueAt(bag, path.split('.')), values);
  values.delete('');
  const found = values.size === 0 || values.size > valuesMax ? null : occurrences(values);
  const text = (said: string): string => {
    if (values.size > valuesMax) return token(said);
    return found === null ? said : said.replace(found, (value) => token(value));
  };

  function shown(value: unknown, path: string): unknown {
    if (paths.has(path) && value !== null && value !== undefined) return token(value);
    if (typeof value === 'string') return text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((element, at) => shown(element, below(path, String(at))));
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, shown(member, below(path, name))]),
    );
  }
  const bag = (whole: Bag) => shown(whole, '') as Bag;
  const said = (told: string, nodeId: string) => (nodes.has(nodeId) ? token(told) : text(told));
  const utterance = (told: string) => (isAnswer ? token(told.trim()) : text(told));
  /** Everything that may hold a value, of a node that has to do with one. */
  const hidden = (members: Bag): Bag =>
    Object.fromEntries(
      Object.entries(members).map(([name, value]) => [
        name,
        toldAlways.has(name) ? value : hide(value, token),
      ]),
    );

  return {
    utterance,
    said,
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
          return { ...given, answer: { ...answer, values: bag(answer.values) } };
        }) ?? null,
      messages:
        turn.messages?.map((message) => ({ ...message, text: said(message.text, message.node_id) })) ?? null,
      actions:
        turn.actions?.map((action) =>
          nodes.has(String(action['node_id'])) ? hidden(action) : (shown(action, '') as typeof action),
        ) ?? null,
      redacted: [...names],
    }),
  };
}

/** Members of actions and outcomes that say what was done and not with which values. */
const toldAlways: ReadonlySet<string> = new Set([
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
      toldAlways.has(name) ? member : hide(member, token),
    ]),
  );
}

const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function valueAt(bag: Bag, steps: readonly string[]): unknown {
  let value: unknown = bag;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

/** The texts that a value may be recognised by. Truth values are not: every text says yes or no. */
function leavesOf(value: unknown, into: Set<string>): void {
  if (into.size > valuesMax) return;
  if (typeof value === 'string') into.add(value.trim());
  else if (typeof value === 'number') into.add(String(value));
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) leavesOf(member, into);
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
