import { expect, test } from '@jest/globals';
import { compileFlow, parseFlow, walkTurn } from '@parley/flow-engine';
import { DEFINITION, SAID, TURNS, nodeRedFlow } from './three-questions.ts';

test('the engine says what every peer must say', () => {
  const parsed = parseFlow(DEFINITION);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const flow = compileFlow(parsed.flow);
  const said = TURNS.map((turn) => {
    const step = walkTurn(flow, {
      currentNode: turn.current_node,
      userInput: turn.user_input,
      variables: turn.variables,
      nowMs: 0,
      agentMode: 'out_of_band',
      extractorAvailable: false,
    });
    if (step.kind !== 'done' || step.result.kind !== 'turn') throw new Error(step.kind);
    return step.result.outputs.map(({ text }) => text);
  });
  expect(said).toEqual(SAID);
});

test('every wire of the flow for Node-RED ends at a node', () => {
  const nodes: readonly { readonly id: string; readonly wires?: readonly (readonly string[])[] }[] =
    nodeRedFlow();
  const ids = new Set(nodes.map(({ id }) => id));
  for (const { wires = [] } of nodes) for (const to of wires.flat()) expect(ids).toContain(to);
});
