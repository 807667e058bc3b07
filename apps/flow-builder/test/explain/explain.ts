// A flow that distinguishes ages, and recorded conversations with it, for the tests of replay and
// comparison.
import { recordTurn, type RecordedTurn } from '@parley/flow-analysis';
import { compileFlow, parseFlow, walkTurn, type TurnInput } from '@parley/flow-engine';

/** A person under 18, or of exactly 18 with another `op`, is a child. */
export function ages(op: 'lt' | 'lte' = 'lte') {
  return {
    nodes: [
      { id: 'ask_age', type: 'collect', prompt: 'How old?', variable: 'age', cast: 'integer' },
      { id: 'child', type: 'end', message: 'Hello child' },
      { id: 'adult', type: 'end', message: 'Hello adult' },
    ],
    edges: [
      { source: 'ask_age', target: 'child', variable: 'age', op, value: 18 },
      { source: 'ask_age', target: 'adult', default: true },
    ],
  };
}

/** Records a conversation with a version as the service does. Queries no model. */
export function recorded(
  of: { readonly flowId: string; readonly version: number },
  definition: unknown,
  utterances: readonly (string | null)[],
  session = 'call-1',
): RecordedTurn[] {
  const parsed = parseFlow(definition);
  if (!parsed.ok) throw new Error('not a flow');
  const flow = compileFlow(parsed.flow);
  const turns: RecordedTurn[] = [];
  let standing: Pick<TurnInput, 'currentNode' | 'variables'> = { currentNode: null, variables: {} };
  for (const userInput of utterances) {
    const turn: TurnInput = {
      ...standing,
      userInput,
      session,
      nowMs: Date.UTC(2026, 10, 20, 12),
      agentMode: 'out_of_band',
      extractorAvailable: false,
    };
    const step = walkTurn(flow, turn);
    if (step.kind !== 'done' || step.result.kind !== 'turn') throw new Error('asked, or refused');
    turns.push(recordTurn(of, flow.model, turn, [], step.result));
    standing = { currentNode: step.result.nextNode, variables: step.result.variables };
  }
  return turns;
}
