// Describes tools in a transcript: the call in the turn that makes it, the result in the turn that
// brings it.
import type { CallerAnswer, CompiledFlow, TurnResult } from '@parley/flow-engine';

/** Characters of arguments or a result in a transcript. The caller has both in full. */
const SHOWN_CHARACTERS_MAX = 10_000;

/** The call that ended the turn: at most one. */
export function describeToolCall({ actions }: TurnResult): string[] {
  return actions.flatMap((action) => {
    if (action.type !== 'tool' || action.callId === undefined) return [];
    return [`${action.tool ?? ''}(${action.args === null ? '' : toShortJson(action.args)})`];
  });
}

/** The result with which the turn resumed: at most one. */
export function describeToolResult(
  turn: { readonly currentNode: string | null; readonly answer: CallerAnswer | null },
  { model }: CompiledFlow,
): string[] {
  const { currentNode, answer } = turn;
  if (answer?.kind !== 'tool_result' || currentNode === null) return [];
  const node = model.nodesById.get(currentNode);
  // The words of an agent that talks are messages of the bot.
  if (node?.waitsFor === 'talk') return [];
  const { outcome } = answer;
  if (outcome.status === 'pending') return [];
  const said =
    outcome.status === 'ok'
      ? toShortJson(outcome.result)
      : `error ${outcome.code} ${toShortJson(outcome.message)}`;
  return [`${node?.raw.tool ?? ''}: ${said}`];
}

/** Cuts between two characters. */
function toShortJson(value: unknown): string {
  const json = JSON.stringify(value) ?? '';
  if (json.length <= SHOWN_CHARACTERS_MAX) return json;
  return `${json.slice(0, SHOWN_CHARACTERS_MAX).replace(/[\ud800-\udbff]$/, '')}…`;
}
