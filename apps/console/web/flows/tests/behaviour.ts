// Describes the behavioural differences between two versions.
import { shownValue } from '../../engine/shown.ts';
import type { BehaviouralDiff } from '@parley/flow-analysis';

/** From the engine in the browser or in the service. */
export type Behaviour = BehaviouralDiff;
type Group = Behaviour['groups'][number];
type Counts = Behaviour['compared'];

const sum = ({ generated, stored, recorded }: Counts): number => generated + stored + recorded;
const conversations = (count: number): string => (count === 1 ? '1 conversation' : `${count} conversations`);

export function headline({ compared, different, same, complete }: Behaviour): string {
  const held = sum(compared);
  const rest = complete ? '' : ' The versions are too large to compare all conversations.';
  if (held === 0) return `No conversation could be compared.${rest}`;
  if (same)
    return `No difference for callers: ${conversations(held)} compared, all with the same result.${rest}`;
  const parting = sum(different);
  return `${conversations(parting)} of ${held} compared ${parting === 1 ? 'has' : 'have'} another result.${rest}`;
}

/** The sources of the conversations of a group: "3 stored tests, 2 recorded". */
export function sourcesOf({ generated, stored, recorded }: Counts): string {
  return [
    stored > 0 && (stored === 1 ? '1 stored test' : `${stored} stored tests`),
    recorded > 0 && `${recorded} recorded`,
    generated > 0 && `${generated} generated`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** The input of a turn; null for the opening turn or silence. */
export function broughtIn(turn: Readonly<Record<string, unknown>>): string | null {
  const { user_input, tool_result, handoff_result } = turn as {
    readonly user_input?: unknown;
    readonly tool_result?: { readonly result?: unknown; readonly error?: { readonly code?: unknown } } | null;
    readonly handoff_result?: { readonly status?: unknown } | null;
  };
  if (typeof user_input === 'string') return user_input;
  if (tool_result != null)
    return tool_result.error === undefined
      ? `tool result ${shownValue(tool_result.result ?? null)}`
      : `tool failed: ${shownValue(tool_result.error.code)}`;
  return handoff_result == null ? null : `handoff ${shownValue(handoff_result.status)}`;
}

export interface ToldDifference {
  readonly what: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const WHATS: Readonly<Record<string, string>> = {
  messages: 'Messages',
  next_node: 'Next node',
  status: 'Status',
  actions: 'Actions',
  variables: 'Variables',
};

/** Sorted in the order of the labels. */
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
  if (value === null || value === undefined) return [what === 'next_node' ? 'end of flow' : 'none'];
  if (Array.isArray(value)) return value.length === 0 ? ['none'] : value.map(shownValue);
  if (typeof value === 'object') {
    const held = Object.entries(value).map(([name, one]) => `${name} = ${shownValue(one)}`);
    return held.length === 0 ? ['none'] : held;
  }
  return [shownValue(value)];
}
