// What the engine's worker offers, as a plain object: tests call it without a worker. It keeps the definition that was checked last, so
// that a conversation does not carry ten thousand nodes with every turn.
import {
  compileFlow,
  diffFlows,
  parseFlow,
  type CompiledFlow,
  type FlowDiff,
  type FlowModel,
} from '@parley/flow-engine';
import { checkFlow, longestTurn, type Checked } from './check.ts';
import { converse, type PlayedTurn, type Script } from './converse.ts';
import { replay } from './replay.ts';

let flow: FlowModel | null = null;
let compiled: CompiledFlow | null = null;
let stepsProvedMax: number | null = null;

export const engine = {
  check(definition: unknown): Checked {
    const result = checkFlow(definition);
    flow = result.flow;
    compiled = null;
    stepsProvedMax = result.checked.stats?.max_steps_per_turn ?? null;
    return result.checked;
  },
  /** The same, of a definition that is only looked at. */
  read(definition: unknown): Checked {
    return checkFlow(definition).checked;
  },
  /** Of the definition that was checked last. */
  longest(): readonly string[] {
    return flow === null ? [] : longestTurn(flow);
  },
  /** With the definition that was checked last; null when it is none. */
  converse(script: Script): readonly PlayedTurn[] | null {
    if (flow === null) return null;
    compiled ??= compileFlow(flow);
    return converse(compiled, script, stepsProvedMax);
  },
  /** null when one of the two is no definition. */
  diff(before: unknown, after: unknown): FlowDiff | null {
    const [from, to] = [parseFlow(before), parseFlow(after)];
    return from.ok && to.ok ? diffFlows(from.flow, to.flow) : null;
  },
  replay,
};

export type Engine = typeof engine;
