// The edges out of a compiled node: which exits it has, and their conditions as closures.
import { compileComparison } from '../read/compare.ts';
import { answeringEdges, commandEdges } from '../define/commands.ts';
import { comparisonsOf } from '../define/conditions.ts';
import type { Condition, EdgeModel, FlowModel } from '../define/model.ts';
import { compileLookup, type Scope } from '../read/paths.ts';
import type { PatternSource } from '../read/patterns.ts';
import { answer, no, type Verdict } from '../read/verdicts.ts';
import { conditionChars } from '../walk/route.ts';
import type {
  ChoiceExit,
  Commands,
  CompiledComparison,
  CompiledNode,
  ConditionalExit,
  Exit,
  Routes,
} from './compiled.ts';
import { compileValue } from './interpolate.ts';

/** The routes of some edges, once all nodes are there: edges point at nodes, in circles too. */
export function compileRoutes(
  edges: readonly EdgeModel[],
  nodes: ReadonlyMap<string, CompiledNode>,
  patterns: PatternSource,
): Routes {
  const deterministic: ConditionalExit[] = [];
  const choices: ChoiceExit[] = [];
  let fallback: Exit | null = null;
  for (const edge of edges) {
    const target = nodes.get(edge.target);
    if (target === undefined) continue;
    const exit = { edgeIndex: edge.index, target };
    if (edge.kind === 'deterministic') deterministic.push(conditionalExit(exit, edge, patterns));
    else if (edge.kind === 'nl' && edge.nl !== null)
      choices.push({ ...exit, nl: edge.nl, label: edge.label });
    else fallback ??= exit;
  }
  return { deterministic, choices, fallback };
}

/** What may be called from every question; null where there is nothing. */
export function compileCommands(
  flow: FlowModel,
  nodes: ReadonlyMap<string, CompiledNode>,
  patterns: PatternSource,
): Commands | null {
  const before = compileRoutes(commandEdges(flow, 'before'), nodes, patterns);
  const after = compileRoutes(commandEdges(flow, 'after'), nodes, patterns);
  const choices = [...before.choices, ...after.choices];
  if (before.deterministic.length + after.deterministic.length + choices.length === 0) return null;
  const answering = new Set(answeringEdges(flow).map(({ index }) => index));
  return { before: before.deterministic, after: after.deterministic, choices, answering };
}

/**
 * An exit whose condition is compiled when it is first tried: a flow of 40,000 edges is loaded while others wait, and a turn tries few
 * of them. It then takes the place of what compiled it, so that later turns pay nothing.
 */
function conditionalExit(
  { edgeIndex, target }: Exit,
  edge: EdgeModel,
  patterns: PatternSource,
): ConditionalExit {
  type Draft = { -readonly [Member in keyof ConditionalExit]: ConditionalExit[Member] };
  const exit: Draft = {
    edgeIndex,
    target,
    test: (scope) => {
      const compared = comparisonsOf(edge).map((one) => compileCondition(one, edge.caseSensitive, patterns));
      Object.assign(exit, { compared, test: joined(compared, exit.joint) });
      return exit.test(scope);
    },
    compared: [],
    joint: edge.group?.joint ?? null,
  };
  return exit;
}

/** As one: tried in order until one decides, and counted as so many conditions (route.ts counts the first). */
function joined(compared: readonly CompiledComparison[], joint: ConditionalExit['joint']) {
  const [first] = compared;
  if (first === undefined) return () => no;
  if (joint === null) return first.test;
  const decisive = joint === 'any';
  const others = compared.slice(1).map(({ test }) => test);
  const [decided, undecided] = [answer(decisive), answer(!decisive)];
  return (scope: Scope): Verdict => {
    if (first.test(scope).matched === decisive) return decided;
    for (const test of others) {
      scope.budget.text(conditionChars);
      if (test(scope).matched === decisive) return decided;
    }
    return undecided;
  };
}

function compileCondition(
  { variable, op, authoredOp, value }: Condition,
  caseSensitive: boolean,
  patterns: PatternSource,
): CompiledComparison {
  const actual = compileLookup(variable ?? '');
  // A value that reads a missing variable compares as null, which matches nothing, and not as "", which begins every text.
  const template = compileValue(value, null);
  const shown = { variable, op: op ?? authoredOp, actual };
  if (variable === null)
    return { ...shown, test: compileComparison(null, null, { caseSensitive }), expected: () => value };
  if (!template.constant) {
    const { render } = template;
    return {
      ...shown,
      test: (scope) => {
        const { budget } = scope;
        const compare = compileComparison(op, render(scope), { caseSensitive, patterns, budget });
        return compare(actual(scope), budget);
      },
      expected: render,
    };
  }
  const compare = compileComparison(op, value, { caseSensitive, patterns });
  return { ...shown, test: (scope) => compare(actual(scope), scope.budget), expected: () => value };
}
