// Dotted paths into the variables: `order.items[0].name`. Parsed once per flow version. They follow
// own members only, so no flow reads or sets JavaScript internals.
import { isReservedName } from '../define/definition.ts';
import type { EngineVariable } from '../define/engine-variables.ts';
import { limits } from '../define/limits.ts';
import type { CallerAnswer } from '../define/waits.ts';
import { readNow, readToday, readWeekday } from './clock.ts';
import type { ReadingLevel } from '@parley/answers';
import type { TurnBudget } from './turn-budget.ts';

/**
 * The running variables of a conversation, a JSON object that the caller carries from turn to turn.
 */
export type Bag = Readonly<Record<string, unknown>>;

/**
 * What became of the utterance at a question. `filled_others`: it answered other questions only.
 * `command`: it called a command, and nothing was captured.
 */
export type InputStatus = 'captured' | 'no_match' | 'no_input' | 'out_of_range' | 'filled_others' | 'command';

/** Everything that an edge or a template can read. */
export interface Scope {
  readonly variables: Bag;
  /** The utterance of this turn; null when there was none. */
  readonly userInput: string | null;
  /** Of the collect node that the walk just left in this turn; null = none. */
  readonly inputStatus: InputStatus | null;
  readonly attempts: number | null;
  /** How the answer captured in this turn was read. */
  readonly inputReading?: ReadingLevel | null;
  /** Variables of other questions that the answer filled. */
  readonly filled?: readonly string[] | null;
  /**
   * The input of the turn: its clock (epoch ms), and the caller's answer to the node at which it
   * resumed.
   */
  readonly turn: { readonly nowMs: number; readonly answer?: CallerAnswer | null };
  /** BCP 47, of the flow; the variable `language` overrides it. */
  readonly language: string | null;
  /** The caller's name for the conversation: chooses the variant of a text. */
  readonly session: string | null;
  /** What reading and comparing in this turn counts against. */
  readonly budget: TurnBudget;
}

/** Reads one place of the scope; undefined or null = missing. */
export type Lookup = (scope: Scope) => unknown;

const toolOutcome = ({ turn: { answer } }: Scope) =>
  answer?.kind === 'tool_result' && answer.outcome.status !== 'pending' ? answer.outcome : null;
const handoffResult = ({ turn }: Scope) => (turn.answer?.kind === 'handoff_result' ? turn.answer : null);

/** Names that read the turn instead of the variables. */
export const pseudoVariables = {
  user_input: (scope) => scope.userInput,
  _attempts: (scope) => scope.attempts,
  _input_status: (scope) => scope.inputStatus,
  _input_reading: (scope) => scope.inputReading,
  _filled: (scope) => scope.filled,
  _tool_status: (scope) => toolOutcome(scope)?.status,
  _tool_error: (scope) => {
    const outcome = toolOutcome(scope);
    return outcome?.status === 'error' ? outcome.code : undefined;
  },
  _handoff_status: (scope) => handoffResult(scope)?.status,
  _handoff_reason: (scope) => handoffResult(scope)?.reason,
  _now: readNow,
  _today: readToday,
  _weekday: readWeekday,
} as const satisfies Record<EngineVariable, Lookup>;

/** The variable that holds the engine's own counters. Flows may read it, never write it. */
export const bookkeepingName = '_flow';
/** What an agent that talks sees of the conversation. Written by the engine, carried by callers. */
export const transcriptName = '_transcript';

const segmentPattern = /^([^.[\]{}|"']+)((?:\[\d{1,9}\])*)$/;

/**
 * The steps of a path, or null when the text is no path. A path through a reserved name is
 * well-formed and always missing.
 */
export function parsePath(text: string): readonly string[] | null {
  const steps: string[] = [];
  for (const segment of text.trim().split('.')) {
    const parts = segmentPattern.exec(segment);
    if (parts === null) return null;
    const [, name = '', indexes = ''] = parts;
    steps.push(name);
    for (const [, index = ''] of indexes.matchAll(/\[(\d+)\]/g)) steps.push(String(Number(index)));
  }
  return steps.length > limits.pathStepsMax ? null : steps;
}

const missing: Lookup = () => undefined;

/**
 * Compiles the reading of a path. A text that is no path, or runs through a reserved name, is
 * always missing.
 */
export function compileLookup(text: string): Lookup {
  const path = parsePath(text);
  if (path === null || path.some(isReservedName)) return missing;
  const [root = '', ...rest] = path;
  if (Object.hasOwn(pseudoVariables, root))
    return rest.length > 0 ? missing : pseudoVariables[root as keyof typeof pseudoVariables];
  if (rest.length === 0 && !isInherited(root)) return (scope) => scope.variables[root];
  return (scope) => {
    let value = ownMember(scope.variables, root);
    for (const name of rest) value = ownMember(value, name);
    return value;
  };
}

/**
 * Whether JSON objects or lists inherit a member of this name. For every other name a plain read
 * sees own members only. Most placeholders and conditions read such names, and hasOwn would cost a
 * tenth of a turn.
 */
const isInherited = (name: string): boolean => name in Object.prototype || name in Array.prototype;

/** An own member of an object or list; undefined for everything else, texts included. */
export function ownMember(container: unknown, name: string): unknown {
  if (typeof container !== 'object' || container === null) return undefined;
  return Object.hasOwn(container, name) ? (container as Record<string, unknown>)[name] : undefined;
}

/**
 * Sets one place of variables that the caller owns; copies objects on the way, never changes them.
 */
export type Writer = (bag: Record<string, unknown>, value: unknown) => void;

/**
 * Compiles the writing of a path, so that edges find the captured value under the same name. Null
 * when the path is not writable: no path, a reserved name, or the engine's own bookkeeping.
 */
export function compileWriter(text: string): Writer | null {
  const path = parsePath(text);
  if (path === null || path.some(isReservedName)) return null;
  const [root = '', ...rest] = path;
  if (root === bookkeepingName || root === transcriptName) return null;
  if (rest.length === 0)
    return (bag, value) => {
      bag[root] = value;
    };
  return (bag, value) => {
    bag[root] = withMember(ownMember(bag, root), rest, value);
  };
}

function withMember(container: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  const member = withMember(ownMember(container, name), rest, value);
  // A list accepts its own elements and one more; anything beyond would leave any number of holes.
  if (Array.isArray(container) && /^\d+$/.test(name) && Number(name) <= container.length)
    return Object.assign([...(container as unknown[])], { [name]: member });
  const isObject = typeof container === 'object' && container !== null && !Array.isArray(container);
  return { ...(isObject ? container : {}), [name]: member };
}

/**
 * Compiles the removal of a path; null when it is not writable. Ignores the value that it is called
 * with.
 */
export function compileEraser(text: string): Writer | null {
  const path = parsePath(text);
  if (path === null || compileWriter(text) === null) return null;
  const [root = '', ...rest] = path;
  return (bag) => {
    if (rest.length === 0) delete bag[root];
    else if (Object.hasOwn(bag, root)) bag[root] = withoutMember(bag[root], rest);
  };
}

function withoutMember(container: unknown, [name = '', ...rest]: readonly string[]): unknown {
  if (ownMember(container, name) === undefined) return container;
  if (rest.length > 0) return withMember(container, [name], withoutMember(ownMember(container, name), rest));
  if (Array.isArray(container)) return container.filter((_, index) => String(index) !== name);
  return Object.fromEntries(Object.entries(container as object).filter(([other]) => other !== name));
}
