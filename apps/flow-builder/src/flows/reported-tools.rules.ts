// A tool that is waited for, as a transcript tells it: its call in the turn that calls it, and its result in the turn that brings it. Pure.
import type { CallerAnswer, CompiledFlow, TurnResult } from '@parley/flow-engine';

/** Members of a `tool.message` (docs/voice-api.md#conversation-events). */
export interface ToolMessage {
  readonly text: string;
  readonly tool: string;
  readonly call_id: string;
}

/** Characters of arguments or a result that a transcript shows: it is read by people, and the caller has the whole of both. */
const SHOWN_CHARACTERS_MAX = 10_000;

/** The call that ended the turn; one at the most. */
export function toolsCalled({ actions }: TurnResult): ToolMessage[] {
  return actions.flatMap((action) => {
    if (action.type !== 'tool' || action.callId === undefined) return [];
    const tool = action.tool ?? '';
    return [
      { text: `${tool}(${action.args === null ? '' : shown(action.args)})`, tool, call_id: action.callId },
    ];
  });
}

/** The result that the turn went on with. */
export function toolAnswered(
  turn: { readonly currentNode: string | null; readonly answer: CallerAnswer | null },
  { model }: CompiledFlow,
): ToolMessage[] {
  const { currentNode, answer } = turn;
  if (answer?.kind !== 'tool_result' || currentNode === null) return [];
  const { outcome } = answer;
  const tool = model.nodesById.get(currentNode)?.raw.tool ?? '';
  const said =
    outcome.status === 'ok' ? shown(outcome.result) : `error ${outcome.code} ${shown(outcome.message)}`;
  return [{ text: `${tool}: ${said}`, tool, call_id: answer.callId ?? '' }];
}

/** As JSON, cut between two characters. */
function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? '';
  if (json.length <= SHOWN_CHARACTERS_MAX) return json;
  return `${json.slice(0, SHOWN_CHARACTERS_MAX).replace(/[\ud800-\udbff]$/, '')}…`;
}
