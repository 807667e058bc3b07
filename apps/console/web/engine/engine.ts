// What the engine's workers offer, as a plain object: tests call it without a worker. It keeps the definition that was checked last, so
// that a conversation does not carry ten thousand nodes with every turn.
import {
  compileFlow,
  diffFlows,
  parseFlow,
  readParsedFlow,
  type CompiledFlow,
  type FlowDiff,
} from '@parley/flow-engine';
import type { Called } from './called.ts';
import { checkFlow, longestTurn, type Checked, type CheckedFlow } from './check.ts';
import { converse, type PlayedTurn, type Script } from './converse.ts';
import { replay } from './replay.ts';
import { compareLooked, explore, reachPlace } from './explore.ts';

let called: Called | null = null;
let last: CheckedFlow | null = null;
let compiled: CompiledFlow | null = null;

export const engine = {
  /** What the flow calls, from here on; null: it is not known yet. */
  know(calls: Called | null): void {
    called = calls;
  },
  check(definition: unknown): Checked {
    last = checkFlow(definition, called);
    compiled = null;
    return last.checked;
  },
  /** The same, of a definition that is only looked at. */
  read(definition: unknown): Checked {
    return checkFlow(definition, null).checked;
  },
  /** Of the definition that was checked last. */
  longest(): readonly string[] {
    return last?.expansion == null ? [] : longestTurn(last.expansion);
  },
  /** With the definition that was checked last; null when it is none. */
  converse(script: Script): readonly PlayedTurn[] | null {
    if (last?.expansion == null) return null;
    compiled ??= compileFlow(readParsedFlow(last.expansion.definition));
    return converse(compiled, script, last.checked.stats?.max_steps_per_turn ?? null);
  },
  /** null when one of the two is no definition. */
  diff(before: unknown, after: unknown): FlowDiff | null {
    const [from, to] = [parseFlow(before), parseFlow(after)];
    return from.ok && to.ok ? diffFlows(from.flow, to.flow) : null;
  },
  replay,
  explore,
  reach: reachPlace,
  compare: compareLooked,
};

export type Engine = typeof engine;
