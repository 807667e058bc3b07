// A tool that is waited for, as a transcript tells it: its call in the turn that calls it, and its result in the turn that brings it. Pure.
import type { CallerAnswer, CompiledFlow, TurnResult } from '@parley/flow-engine';

/** Characters of arguments or a result that a transcript shows: it is read by people, and the caller has the whole of both. */
const SHOWN_CHARACTERS_MAX = 10_000;

/** The call that ended the turn: one at the most. */
export function calledTool({ actions }: TurnResult): string[] {
  return actions.flatMap((action) => {
    if (action.type !== 'tool' || action.callId === undefined) return [];
    return [`${action.tool ?? ''}(${action.args === null ? '' : shown(action.args)})`];
  });
}

/** The result that the turn went on with: likewise. */
export function answeredTool(
  turn: { readonly currentNode: string | null; readonly answer: CallerAnswer | null },
  { model }: CompiledFlow,
): string[] {
  const { currentNode, answer } = turn;
  if (answer?.kind !== 'tool_result' || currentNode === null) return [];
  const { outcome } = answer;
  const said =
    outcome.status === 'ok' ? shown(outcome.result) : `error ${outcome.code} ${shown(outcome.message)}`;
  return [`${model.nodesById.get(currentNode)?.raw.tool ?? ''}: ${said}`];
}

/** As JSON, cut between two characters. */
function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? '';
  if (json.length <= SHOWN_CHARACTERS_MAX) return json;
  return `${json.slice(0, SHOWN_CHARACTERS_MAX).replace(/[\ud800-\udbff]$/, '')}…`;
}
