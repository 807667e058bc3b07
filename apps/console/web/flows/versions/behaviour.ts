// What two versions do differently, in the words of the page: how many conversations part, and one of each kind as it was and as it is.
import { shownValue } from '../../engine/shown.ts';
import type { BehaviouralDiff } from '@parley/flow-engine';

/** As the engine tells it, here or in the service. */
export type Behaviour = BehaviouralDiff;
type Group = Behaviour['groups'][number];
type Counts = Behaviour['compared'];

const sum = ({ generated, stored, recorded }: Counts): number => generated + stored + recorded;
const conversations = (count: number): string => (count === 1 ? '1 conversation' : `${count} conversations`);

export function headline({ compared, different, same, complete }: Behaviour): string {
  const held = sum(compared);
  const rest = complete ? '' : ' Not every conversation could be held: the versions are too large for that.';
  if (held === 0) return `No conversation could be held with both.${rest}`;
  if (same) return `Callers notice nothing: ${conversations(held)} held with both, all the same.${rest}`;
  const parting = sum(different);
  return `${conversations(parting)} of ${held} held with both ${parting === 1 ? 'goes' : 'go'} another way.${rest}`;
}

/** Where the conversations of a group come from: "3 stored tests, 2 recorded". */
export function sourcesOf({ generated, stored, recorded }: Counts): string {
  return [
    stored > 0 && (stored === 1 ? '1 stored test' : `${stored} stored tests`),
    recorded > 0 && `${recorded} recorded`,
    generated > 0 && `${generated} generated`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** What was said or brought in a turn; null = nothing was: the opening turn, or silence. */
export function broughtIn(turn: Readonly<Record<string, unknown>>): string | null {
  const { user_input, tool_result, handoff_result } = turn as {
    readonly user_input?: unknown;
    readonly tool_result?: { readonly result?: unknown; readonly error?: { readonly code?: unknown } } | null;
    readonly handoff_result?: { readonly status?: unknown } | null;
  };
  if (typeof user_input === 'string') return user_input;
  if (tool_result != null)
    return tool_result.error === undefined
      ? `the tool gave ${shownValue(tool_result.result ?? null)}`
      : `the tool failed: ${shownValue(tool_result.error.code)}`;
  return handoff_result == null ? null : `the handoff ${shownValue(handoff_result.status)}`;
}

export interface ToldDifference {
  readonly what: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const WHATS: Readonly<Record<string, string>> = {
  messages: 'Says',
  next_node: 'Goes to',
  status: 'Is',
  actions: 'Asks for',
  variables: 'Keeps',
};

/** What is said first, and where the conversation stands then; a status that only follows from it is left out. */
export function toldDifferences({ example }: Group): ToldDifference[] {
  const order = Object.keys(WHATS);
  return [...example.differences]
    .sort((a, b) => order.indexOf(a.what) - order.indexOf(b.what))
    .map(({ what, before, after }) => ({
      what: WHATS[what] ?? what,
      before: linesOf(what, before),
      after: linesOf(what, after),
    }));
}

function linesOf(what: string, value: unknown): string[] {
  if (value === null || value === undefined) return [what === 'next_node' ? 'the end' : 'nothing'];
  if (Array.isArray(value)) return value.length === 0 ? ['nothing'] : value.map(shownValue);
  if (typeof value === 'object') {
    const held = Object.entries(value).map(([name, one]) => `${name} = ${shownValue(one)}`);
    return held.length === 0 ? ['nothing'] : held;
  }
  return [shownValue(value)];
}
