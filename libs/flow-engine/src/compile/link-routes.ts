// The edges out of a compiled node: which exits it has, and their conditions as closures.
import { compileComparison } from '../read/compare.ts';
import { commandEdges } from '../define/commands.ts';
import type { Condition, EdgeModel, FlowModel } from '../define/model.ts';
import { compileLookup } from '../read/paths.ts';
import type { PatternSource } from '../read/patterns.ts';
import type { ChoiceExit, Commands, CompiledNode, ConditionalExit, Exit, Routes } from './compiled.ts';
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
    if (edge.kind === 'deterministic' && edge.condition !== null)
      deterministic.push(conditionalExit(exit, edge.condition, edge, patterns));
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
  return { before: before.deterministic, after: after.deterministic, choices };
}

/**
 * An exit whose condition is compiled when it is first tried: a flow of 40,000 edges is loaded while others wait, and a turn tries few
 * of them. It then takes the place of what compiled it, so that later turns pay nothing.
 */
function conditionalExit(
  { edgeIndex, target }: Exit,
  condition: Condition,
  edge: EdgeModel,
  patterns: PatternSource,
): ConditionalExit {
  type Draft = { -readonly [Member in keyof ConditionalExit]: ConditionalExit[Member] };
  const compile = () => Object.assign(exit, compileCondition(condition, edge, patterns));
  const exit: Draft = {
    edgeIndex,
    target,
    test: (scope) => compile().test(scope),
    variable: condition.variable,
    op: condition.op ?? edge.raw.op ?? null,
    actual: (scope) => compile().actual(scope),
    expected: (scope) => compile().expected(scope),
  };
  return exit;
}

function compileCondition(
  { variable, op, value }: Condition,
  { caseSensitive, raw }: EdgeModel,
  patterns: PatternSource,
): Pick<ConditionalExit, 'test' | 'variable' | 'op' | 'actual' | 'expected'> {
  const actual = compileLookup(variable ?? '');
  // A value that reads a missing variable compares as null, which matches nothing, and not as "", which begins every text.
  const template = compileValue(value, null);
  const shown = { variable, op: op ?? raw.op ?? null, actual };
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
  return {
    ...shown,
    test: (scope) => compare(actual(scope), scope.budget),
    expected: () => value,
  };
}
