// A condition outside a flow, such as the filter of a webhook: that of an edge, over any object
// instead of the variables.
import { limits } from '@parley/flow-engine/define/limits';
import { parseFlow } from '@parley/flow-engine/define/parse';
import type { Bag } from '@parley/flow-engine/read/paths';
import { tryWithinBudget, type TurnBudget } from '@parley/flow-engine/read/turn-budget';
import { validateFlow } from './validate-flow.ts';
import { compileFlow } from '@parley/flow-engine/compile/compile';

/** As authored: `{variable, op?, value?, case_sensitive?}`. */
export type AuthoredCondition = Readonly<Record<string, unknown>>;

/** Null: the budget does not suffice to decide it. */
export type ConditionTest = (over: Bag, budget: TurnBudget) => boolean | null;

export type LoneCondition =
  { readonly ok: true; readonly test: ConditionTest } | { readonly ok: false; readonly problem: string };

/** Parses, checks and compiles it as an edge, so it means the same as in a flow. */
export function compileLoneCondition(authored: AuthoredCondition): LoneCondition {
  const parsed = parseFlow({
    nodes: [
      { id: 'from', type: 'branch' },
      { id: 'to', type: 'end' },
    ],
    edges: [
      { ...authored, source: 'from', target: 'to' },
      { source: 'from', target: 'to' },
    ],
  });
  if (!parsed.ok) return { ok: false, problem: parsed.problems[0]!.message };
  const wrong = validateFlow(parsed.flow, { stepsMax: limits.stepsMax }).errors.find(({ path }) =>
    path.startsWith('/edges/0'),
  );
  if (wrong) return { ok: false, problem: wrong.message };
  const [exit] = compileFlow(parsed.flow).start?.routes.deterministic ?? [];
  if (!exit) return { ok: false, problem: 'names nothing to compare' };
  const nothing = {
    userInput: null,
    inputStatus: null,
    attempts: null,
    language: null,
    session: null,
    turn: { nowMs: 0 }, // no engine variable can be compared
  };
  return {
    ok: true,
    test: (variables, budget) =>
      tryWithinBudget<boolean | null>(
        () => exit.holds({ ...nothing, variables, budget }),
        () => null,
      ),
  };
}
