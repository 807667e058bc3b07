// Rules about the outgoing edges of a node: their conditions, and whether they can ever be taken.
import { compileComparison } from '@parley/flow-engine/read/compare';
import { listCommandEdges, isCommand, priorities } from '@parley/flow-engine/define/commands';
import { listComparisons, conditionProblems } from '@parley/flow-engine/define/conditions';
import type { Condition, EdgeModel, FlowModel } from '@parley/flow-engine/define/model';
import { operators } from '@parley/flow-engine/define/operators';
import { parsePath } from '@parley/flow-engine/read/paths';
import { foldCase, scalarText } from '@parley/answers/readings';
import { describeComparison, describeCondition, listed } from '../describe.ts';
import { atComparison, atEdge, atNode, quoted, shown, type Finding } from '../finding.ts';
import type { Rule } from '../rule.ts';
import type { FlowIndex } from '../flow-index.ts';
import { isWalked } from '../node-kinds.ts';
import { isRendered, findValueProblem } from '../value-shapes.ts';

/** A rule about each comparison on its own. */
const ofComparisons =
  (find: (compared: Condition, edge: EdgeModel, index: FlowIndex) => readonly Finding[]): Rule =>
  (index) =>
    index.flow.edges.flatMap((edge) =>
      listComparisons(edge).flatMap((compared) => find(compared, edge, index)),
    );

export const conditionsInvalid: Rule = ({ flow }) =>
  flow.edges.flatMap((edge) =>
    conditionProblems(edge.raw).map(({ at, message }) => atEdge(edge, message, ...at)),
  );

export const edgeWithoutVariable: Rule = ofComparisons((compared, edge, { readPath }) => {
  const { variable, op, hasValue, at } = compared;
  // An entry of a list that compares nothing is already reported.
  if (variable === null && at.length > 0 && op === null && !hasValue) return [];
  if (variable === null)
    return [atComparison(edge, compared, `Nothing to compare: ${describeComparison(compared)}`, 'variable')];
  return readPath(variable) === null && parsePath(variable) === null
    ? [atComparison(edge, compared, `Not the path of a variable: ${quoted(variable)}`, 'variable')]
    : [];
});

export const multipleDefaults: Rule = ({ flow }) =>
  [...flow.outgoing].flatMap(([source, edges]) => {
    // Of a command not even the first is ever taken.
    if (isCommandId(flow, source)) return [];
    // An edge that mixes kinds, or leads nowhere, is already reported.
    const [first, ...others] = edges.filter(
      (edge) => edge.kind === 'default' && !hasIgnoredCondition(edge) && leadsSomewhere(flow, edge),
    );
    return others.map((edge) => atEdge(edge, `Edge ${first!.index} is the default edge already`));
  });

const leadsSomewhere = ({ nodesById }: FlowModel, { target }: EdgeModel): boolean => {
  const node = nodesById.get(target);
  return node !== undefined && isWalked(node);
};

const compares = ({ condition, group }: EdgeModel): boolean => condition !== null || group !== null;

const hasIgnoredCondition = (edge: EdgeModel): boolean =>
  edge.saysDefault && (compares(edge) || edge.nl !== null);

export const mixedCondition: Rule = ({ flow }) =>
  flow.edges
    .filter((edge) => !edge.saysDefault && compares(edge) && edge.nl !== null)
    .map((edge) => atEdge(edge, `The edge asks both ${describeCondition(edge)} and ${quoted(edge.nl!)}`));

export const defaultWithCondition: Rule = ({ flow }) =>
  flow.edges.filter(hasIgnoredCondition).map((edge) => {
    const ignored = compares(edge) ? describeCondition(edge) : quoted(edge.nl!);
    return atEdge(edge, `The edge is the default, and its condition is ignored: ${ignored}`, 'default');
  });

export const unknownOp: Rule = ofComparisons((compared, edge) =>
  compared.op !== null || compared.authoredOp === null
    ? []
    : [atComparison(edge, compared, `No operator ${quoted(compared.authoredOp)}`, 'op')],
);

export const opAlias: Rule = ofComparisons((compared, edge) => {
  const [op, authored] = [compared.op, compared.authoredOp?.trim()];
  return op === null || authored === undefined || op === authored
    ? []
    : [atComparison(edge, compared, `${authored} means ${op}`, 'op')];
});

export const valueTypeMismatch: Rule = ofComparisons((compared, edge) => {
  const problem = findValueProblem(compared);
  if (problem === null) return [];
  const found = compared.hasValue ? shown(compared.value) : 'none';
  return [atComparison(edge, compared, `${compared.op} ${problem}; the value is ${found}`, 'value')];
});

export const valueIgnored: Rule = ofComparisons((compared, edge) => {
  const { op, value } = compared;
  if (op === null || operators[op].takes !== 'none') return [];
  // Editors write these into every edge, and they mean what the operator means.
  if (value === undefined || value === null || value === '' || value === true) return [];
  return [atComparison(edge, compared, `${op} takes no value, and ${shown(value)} is ignored`, 'value')];
});

export const commaSeparatedList: Rule = ofComparisons((compared, edge) => {
  const { op, value } = compared;
  if (op === null || operators[op].takes !== 'list' || typeof value !== 'string' || isRendered(value))
    return [];
  return [atComparison(edge, compared, `${shown(value)} is split at its commas`, 'value')];
});

export const regexInvalid: Rule = ofComparisons((compared, edge, { patternProblem }) => {
  const { op, value } = compared;
  if (op === null || operators[op].takes !== 'pattern') return [];
  const pattern = scalarText(value);
  if (pattern === null || pattern === '' || isRendered(pattern)) return [];
  const problem = patternProblem(pattern, edge.caseSensitive);
  return problem === null
    ? []
    : [atComparison(edge, compared, `Pattern ${quoted(pattern)}: ${problem}`, 'value')];
});

export const missingDefault: Rule = (index) =>
  index.nodes.flatMap((node, vertex) => {
    const edges = index.edgesOf[vertex]!;
    if (edges.length === 0 || edges.some(({ kind }) => kind === 'default')) return [];
    if (index.routing[vertex]!.exhaustive) return [];
    const asked = edges.some(({ kind }) => kind === 'nl');
    const talks = node.waitsFor === 'talk';
    const isError = talks || (node.type === 'branch' && asked);
    const message = talks
      ? `${quoted(node.id)} has no default edge for when its turns are used up`
      : asked
        ? `${quoted(node.id)} has no default edge for an answer that the classifier cannot place`
        : `${quoted(node.id)} has no default edge for when none of its conditions holds`;
    return [{ ...atNode(node, message), ...(isError ? {} : { severity: 'warning' as const }) }];
  });

export const shadowedEdge: Rule = (index) =>
  deadEdges(index).flatMap(({ edge, shadowedBy }) => {
    // A repeated edge is already reported.
    if (shadowedBy.length === 0 || index.repeats.has(edge)) return [];
    const winners = shadowedBy.map((winner) => {
      const { flow } = index;
      return `edge ${winner} (${describeCondition(flow.edges[winner]!)})`;
    });
    return [
      atEdge(
        edge,
        `${describeCondition(edge)} is never reached: ${listed(winners)} always win${winners.length === 1 ? 's' : ''}`,
      ),
    ];
  });

export const contradictoryEdge: Rule = (index) =>
  deadEdges(index)
    .filter(({ shadowedBy }) => shadowedBy.length === 0)
    .map(({ edge }) => atEdge(edge, `${describeCondition(edge)} never holds${whyNever(edge)}`));

function whyNever({ condition, group }: EdgeModel): string {
  if (group?.joint === 'all') return ': its comparisons exclude each other, or one of them never holds';
  if (condition?.value === null) return ': nothing equals null; test with not_exists';
  if (condition?.variable?.trim() !== '_input_status') return '';
  const compare = compileComparison(condition.op, condition.value, { caseSensitive: false });
  return compare('no_match').matched || compare('no_input').matched
    ? ': without max_attempts, a collect node asks until it is answered'
    : '';
}

function deadEdges({ flow, routing }: FlowIndex) {
  return routing.flatMap(({ dead }) =>
    [...dead].map(([edgeIndex, { shadowedBy }]) => ({ edge: flow.edges[edgeIndex]!, shadowedBy })),
  );
}

/** The question of every collect node includes the edges of all commands. */
export const ambiguousNl: Rule = ({ flow, repeats }) => {
  const findings: Finding[] = [];
  const compare = (edges: readonly EdgeModel[], shared: ReadonlyMap<string, EdgeModel> | null) => {
    const firsts = new Map<string, EdgeModel>();
    for (const edge of edges) {
      // A repeated edge is already reported.
      if (edge.kind !== 'nl' || edge.nl === null || repeats.has(edge)) continue;
      const text = foldCase(edge.nl);
      const first = firsts.get(text) ?? shared?.get(text);
      if (first === undefined) firsts.set(text, edge);
      else
        findings.push(
          atEdge(
            edge,
            `${quoted(edge.nl)} is also what edge ${first.index} asks`,
            edge.raw.nl == null ? 'condition' : 'nl',
          ),
        );
    }
    return firsts;
  };
  const commands = priorities.flatMap((priority) => listCommandEdges(flow, priority));
  const shared = compare(commands, null);
  for (const [source, edges] of flow.outgoing)
    if (!isCommandId(flow, source))
      compare(edges, flow.nodesById.get(source)?.type === 'collect' ? shared : null);
  return findings;
};

function isCommandId({ nodesById }: FlowIndex['flow'], id: string): boolean {
  const node = nodesById.get(id);
  return node !== undefined && isCommand(node);
}
