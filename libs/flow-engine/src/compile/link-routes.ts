// Compiles the outgoing edges of a node: exits with their conditions as closures.
import { compileComparison } from '../read/compare.ts';
import { listAnsweringEdges, listCommandEdges } from '../define/commands.ts';
import { listComparisons } from '../define/conditions.ts';
import type { Condition, EdgeModel, FlowModel } from '../define/model.ts';
import { compileLookup, type Scope } from '../read/paths.ts';
import type { PatternSource } from '../read/patterns.ts';
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
import { compileExamples } from './examples.ts';
import { compileValue } from './interpolate.ts';

/** Called once all nodes exist: edges refer to nodes, in circles too. */
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
    if (edge.kind === 'deterministic') deterministic.push(new LazyExit(exit, edge, patterns));
    else if (edge.kind === 'nl' && edge.nl !== null)
      choices.push({ ...exit, nl: edge.nl, label: edge.label, examples: compileExamples(edge.raw) });
    else fallback ??= exit;
  }
  return { deterministic, choices, fallback };
}

/** The commands of the flow; null when there are none. */
export function compileCommands(
  flow: FlowModel,
  nodes: ReadonlyMap<string, CompiledNode>,
  patterns: PatternSource,
): Commands | null {
  const before = compileRoutes(listCommandEdges(flow, 'before'), nodes, patterns);
  const after = compileRoutes(listCommandEdges(flow, 'after'), nodes, patterns);
  const choices = [...before.choices, ...after.choices];
  if (before.deterministic.length + after.deterministic.length + choices.length === 0) return null;
  const answering = new Set(listAnsweringEdges(flow).map(({ index }) => index));
  return { before: before.deterministic, after: after.deterministic, choices, answering };
}

/**
 * Compiles its comparisons on first use: loading a flow of 40,000 edges blocks other requests, and
 * a turn tries few of them. A class because this is the hot path: V8 inlines a method where it
 * would call a closure.
 */
class LazyExit implements ConditionalExit {
  readonly edgeIndex: number;
  readonly target: CompiledNode;
  readonly joint: ConditionalExit['joint'];
  private readonly edge: EdgeModel;
  private readonly patterns: PatternSource;
  private compiled: readonly CompiledComparison[] | null = null;
  /** The same, in the order in which `holds` tries them. */
  private tried: readonly CompiledComparison['test'][] = [];

  constructor({ edgeIndex, target }: Exit, edge: EdgeModel, patterns: PatternSource) {
    this.edgeIndex = edgeIndex;
    this.target = target;
    this.joint = edge.group?.joint ?? null;
    this.edge = edge;
    this.patterns = patterns;
  }

  get compared(): readonly CompiledComparison[] {
    if (this.compiled !== null) return this.compiled;
    const { edge, patterns } = this;
    const compiled = listComparisons(edge).map((one) => compileCondition(one, edge.caseSensitive, patterns));
    this.tried = [...compiled].sort(compareUtteranceFirst).map(({ test }) => test);
    return (this.compiled = compiled);
  }

  /**
   * Stops at the first comparison that decides, and counts each one (route.ts counts the first).
   */
  holds(scope: Scope): boolean {
    if (this.compiled === null) void this.compared;
    const { tried } = this;
    const decisive = this.joint === 'any';
    let index = 0;
    while (index < tried.length && tried[index]!(scope).matched !== decisive) index += 1;
    const isDecided = index < tried.length;
    if (tried.length > 1) scope.budget.text(conditionChars * (isDecided ? index : index - 1));
    return isDecided === decisive && tried.length > 0;
  }
}

/**
 * The utterance differs most from turn to turn and decides soonest; the order has no visible
 * effect.
 */
const compareUtteranceFirst = (one: CompiledComparison, other: CompiledComparison): number =>
  Number(other.variable === 'user_input') - Number(one.variable === 'user_input');

function compileCondition(
  { variable, op, authoredOp, value }: Condition,
  caseSensitive: boolean,
  patterns: PatternSource,
): CompiledComparison {
  const actual = compileLookup(variable ?? '');
  // A value that reads a missing variable compares as null, which matches nothing; "" would begin
  // every text.
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
