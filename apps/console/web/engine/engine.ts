// The functions of the engine workers as a plain object, which tests call directly. Keeps the last
// checked definition, so that conversations need not send it again.
import { diffFlows, type FlowDiff } from '@parley/flow-analysis';
import { compileFlow, parseFlow, readParsedFlow, type CompiledFlow } from '@parley/flow-engine';
import type { Called } from './called.ts';
import { checkFlow, longestTurn, type Checked, type CheckedFlow } from './check.ts';
import { converse, type PlayedTurn, type Script } from './converse.ts';
import { replay } from './replay.ts';
import { compareLooked, explore, groupUtterances, measureExamples, reachPlace } from './explore.ts';

let called: Called | null = null;
let last: CheckedFlow | null = null;
let compiled: CompiledFlow | null = null;

export const engine = {
  /** Sets the called flows for later checks; null while loading. */
  know(calls: Called | null): void {
    called = calls;
  },
  check(definition: unknown): Checked {
    last = checkFlow(definition, called);
    compiled = null;
    return last.checked;
  },
  /** Checks a read-only definition without keeping it. */
  read(definition: unknown): Checked {
    return checkFlow(definition, null).checked;
  },
  /** Uses the last checked definition. */
  longest(): readonly string[] {
    return last?.expansion == null ? [] : longestTurn(last.expansion);
  },
  /** Uses the last checked definition; null if it is invalid. */
  converse(script: Script): readonly PlayedTurn[] | null {
    if (last?.expansion == null) return null;
    compiled ??= compileFlow(readParsedFlow(last.expansion.definition));
    return converse(compiled, script, last.checked.stats?.max_steps_per_turn ?? null);
  },
  /** Null if one of the two is invalid. */
  diff(before: unknown, after: unknown): FlowDiff | null {
    const [from, to] = [parseFlow(before), parseFlow(after)];
    return from.ok && to.ok ? diffFlows(from.flow, to.flow) : null;
  },
  replay,
  explore,
  reach: reachPlace,
  compare: compareLooked,
  measure: measureExamples,
  group: groupUtterances,
};

export type Engine = typeof engine;
