// Plays a conversation with an imported flow.
import { playScripted, type ScriptTurn } from '@parley/flow-analysis';
import type { compileFlow, Bag } from '@parley/flow-engine';

/** The turn that brings the result of a tool. */
export const brings = (result: unknown): ScriptTurn => ({ tool_result: { result } });

/** The messages of each turn, and the variables at the end. */
export function converse(
  flow: ReturnType<typeof compileFlow>,
  turns: readonly ScriptTurn[],
): { said: readonly string[]; variables: Bag } {
  let standing: { currentNode: string | null; variables: Bag } = { currentNode: null, variables: {} };
  const said: string[] = [];
  for (const turn of turns) {
    const outcome = playScripted(flow, turn, standing, { nowMs: 0, stepsMax: 200, stepsProvedMax: null });
    if (outcome.kind !== 'turn') throw new Error(outcome.kind);
    said.push(outcome.outputs.map(({ text }) => text).join(' / '));
    standing = { currentNode: outcome.nextNode, variables: outcome.variables };
  }
  return { said, variables: standing.variables };
}
