// Describes in a sentence what a difference means for callers.
import { toJson } from '@parley/answers/readings';
import type { Parting, Versions } from './lockstep.ts';

/** Where two versions part: the first step of the turn that differs. */
export interface PartingPlace {
  /** Ids of the node, before and now, that was left by another edge or said another text. */
  readonly node: string | null;
  /** The edges by which it was left, each in its own version; null = none, or the same. */
  readonly edgeBefore: number | null;
  readonly edgeAfter: number | null;
}

const charsMax = 80;

export function partingPlace(
  { from, to, edgeNow, nodeNow }: Versions,
  { before, after }: Parting,
): PartingPlace {
  const length = Math.max(before.taken.length, after.taken.length);
  for (let step = 0; step < length; step++) {
    const [was, is] = [before.taken[step], after.taken[step]];
    if (isSame(was, is)) continue;
    const node = was === undefined ? (nodeAt(before, step) ?? null) : from.model.edges[was]!.source;
    return { node, edgeBefore: was ?? null, edgeAfter: is ?? null };
  }
  const place = (before.turn?.messages ?? []).findIndex(
    ({ text }, at) => text !== after.turn?.messages?.[at]?.text,
  );
  const spoke = before.turn?.messages?.[place]?.node_id ?? before.turn?.messages?.at(-1)?.node_id;
  return { node: spoke ?? null, edgeBefore: null, edgeAfter: null };

  function isSame(was: number | undefined, is: number | undefined): boolean {
    if (was === undefined || is === undefined) return was === is;
    return edgeNow(was) === is && nodeNow(from.model.edges[was]!.target) === to.model.edges[is]!.target;
  }

  function nodeAt({ turn }: Parting['before'], step: number): string | undefined {
    const index = turn?.path[step]?.[0];
    return index === undefined ? undefined : from.model.nodes[index]?.id;
  }
}

export function describeDifference(versions: Versions, parting: Parting, place: PartingPlace): string {
  return `${who(versions, parting, place)} ${what(versions, parting, place)}.`;
}

function who(
  { from, to }: Versions,
  { said, before, after }: Parting,
  { edgeBefore, edgeAfter }: PartingPlace,
): string {
  const [was, is] = [from.model.edges[edgeBefore ?? -1], to.model.edges[edgeAfter ?? -1]];
  const chosen = [was, is].find((edge) => edge?.kind === 'nl');
  const asked = before.turn?.current_node ?? after.turn?.current_node ?? null;
  const to_ = asked === null ? '' : ` to \`${asked}\``;
  if (chosen !== undefined) return `Callers of whom the classifier says ${quoted(chosen.nl)}`;
  const { user_input } = said;
  if (user_input === null || user_input === undefined)
    return asked === null ? 'Callers who begin a conversation' : `Callers who say nothing${to_}`;
  return asked === null
    ? `Callers who say ${shown(user_input)}`
    : `Callers who answer ${shown(user_input)}${to_}`;
}

function what(
  { from, to }: Versions,
  { differences, before, after }: Parting,
  { edgeBefore, edgeAfter }: PartingPlace,
): string {
  const [was, is] = [from.model.edges[edgeBefore ?? -1]?.target, to.model.edges[edgeAfter ?? -1]?.target];
  if (was !== undefined && is !== undefined && was !== is) return `now reach \`${is}\`, before \`${was}\``;
  if (is !== undefined && was === undefined) return `now go on to \`${is}\`, before not`;
  if (was !== undefined && is === undefined && after.refused === null) return `no longer go on to \`${was}\``;
  const [first] = differences;
  switch (first?.what) {
    case 'messages': {
      const [heard, hear] = findFirstOther(first.before, first.after);
      return `now hear ${quoted(hear)}, before ${quoted(heard)}`;
    }
    case 'status':
      return `now end with \`${after.turn?.status ?? after.refused}\`, before with \`${before.turn?.status ?? before.refused}\``;
    case 'next_node':
      return `now wait at \`${String(first.after)}\`, before at \`${String(first.before)}\``;
    case 'variables':
      return `now leave with ${shown(toJson(first.after))}, before with ${shown(toJson(first.before))}`;
    default:
      return 'now cause other actions than before';
  }
}

/** The first text that differs. */
function findFirstOther(before: unknown, after: unknown): [string | null, string | null] {
  const [was, is] = [before as readonly string[], (after ?? []) as readonly string[]];
  const at = Array.from({ length: Math.max(was.length, is.length) }, (_, place) => place).find(
    (place) => was[place] !== is[place],
  );
  return at === undefined ? [null, null] : [was[at] ?? null, is[at] ?? null];
}

const shown = (text: string): string => (text.length > charsMax ? `${text.slice(0, charsMax)}…` : text);
const quoted = (text: string | null): string => (text === null ? 'nothing' : `"${shown(text)}"`);
