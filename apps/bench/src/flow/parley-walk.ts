// The bench flow in Parley's engine, driven as the service drives it, without HTTP.
import {
  compileFlow,
  parseFlow,
  walkTurn,
  type CompiledFlow,
  type FlowModel,
  type TurnInput,
  type TurnResult,
} from '@parley/flow-engine';
import { NOW_MS, benchFlow, type BenchTurn } from './bench-flow.ts';

export function benchModel(nodes: number): FlowModel {
  const parsed = parseFlow(benchFlow(nodes));
  if (!parsed.ok) throw new Error(`the bench flow is refused: ${JSON.stringify(parsed.problems[0])}`);
  return parsed.flow;
}

export function compiledBenchFlow(nodes: number): CompiledFlow {
  return compileFlow(benchModel(nodes));
}

export function parleyInput(turn: BenchTurn): TurnInput {
  return {
    currentNode: turn.current_node,
    userInput: turn.user_input,
    variables: turn.variables,
    nowMs: NOW_MS,
    agentMode: 'out_of_band',
    extractorAvailable: false,
  };
}

/** One turn; a bench turn asks no model anything, and always settles. */
export function parleyWalk(flow: CompiledFlow, turn: BenchTurn): TurnResult {
  const step = walkTurn(flow, parleyInput(turn));
  if (step.kind !== 'done' || step.result.kind !== 'turn') throw new Error(`the turn ended as ${step.kind}`);
  return step.result;
}
