// Rules about the edges out of a node: what each asks, and whether it can ever be taken.
import { compileComparison } from '../../read/compare.ts';
import { commandEdges, isCommand, priorities } from '../../define/commands.ts';
import type { EdgeModel, FlowModel } from '../../define/model.ts';
import { operators, resolveOperator } from '../../define/operators.ts';
import { parsePath } from '../../read/paths.ts';
import { foldCase, scalarText } from '../../read/readings.ts';
import { describeCondition, listed } from '../describe.ts';
import { atEdge, atNode, quoted, shown, type Finding, type Rule } from '../finding.ts';
import type { FlowIndex } from '../flow-index.ts';
import { isWalked } from '../node-kinds.ts';
import { isRendered, valueProblem } from '../value-shapes.ts';

export const edgeWithoutVariable: Rule = ({ flow, readPath }) =>
  flow.edges.flatMap((edge) => {
    if (edge.condition === null) return [];
    const { variable } = edge.condition;
    if (variable === null)
      return [atEdge(edge, `Nothing to compare: ${describeCondition(edge)}`, 'variable')];
    return readPath(variable) === null && parsePath(variable) === null
      ? [atEdge(edge, `Not the path of a variable: ${quoted(variable)}`, 'variable')]
      : [];
  });

export const multipleDefaults: Rule = ({ flow }) =>
  [...flow.outgoing].flatMap(([source, edges]) => {
    // Of a command not even the first is ever taken.
    if (isCommandId(flow, source)) return [];
    // One that says more than it may, or leads nowhere, is reported for that.
    const [first, ...others] = edges.filter(
      (edge) => edge.kind === 'default' && !hasIgnoredCondition(edge) && leadsSomewhere(flow, edge),
    );
    return others.map((edge) => atEdge(edge, `Edge ${first!.index} is the default edge already`));
  });

const leadsSomewhere = ({ nodesById }: FlowModel, { target }: EdgeModel): boolean => {
  const node = nodesById.get(target);
  return node !== undefined && isWalked(node);
};

const hasIgnoredCondition = ({ saysDefault, condition, nl }: EdgeModel): boolean =>
  saysDefault && (condition !== null || nl !== null);

export const mixedCondition: Rule = ({ flow }) =>
  flow.edges
    .filter(({ saysDefault, condition, nl }) => !saysDefault && condition !== null && nl !== null)
    .map((edge) => atEdge(edge, `The edge asks both ${describeCondition(edge)} and ${quoted(edge.nl!)}`));

export const defaultWithCondition: Rule = ({ flow }) =>
  flow.edges.filter(hasIgnoredCondition).map((edge) => {
    const ignored = edge.condition === null ? quoted(edge.nl!) : describeCondition(edge);
    return atEdge(edge, `The edge is the default, and its condition is ignored: ${ignored}`, 'default');
  });

export const unknownOp: Rule = ({ flow }) =>
  flow.edges
    .filter(({ condition }) => condition !== null && condition.op === null)
    .map((edge) => atEdge(edge, `No operator ${quoted(String(edge.raw.op))}`, 'op'));

export const opAlias: Rule = ({ flow }) =>
  flow.edges.flatMap((edge) => {
    const authored = edge.raw.op?.trim();
    const op = authored ? resolveOperator(authored) : null;
    return op === null || op === authored ? [] : [atEdge(edge, `${authored} means ${op}`, 'op')];
  });

export const valueTypeMismatch: Rule = ({ flow }) =>
  flow.edges.flatMap((edge) => {
    const { condition } = edge;
    const problem = condition === null ? null : valueProblem(condition);
    if (condition === null || problem === null) return [];
    const found = condition.hasValue ? shown(condition.value) : 'none';
    return [atEdge(edge, `${condition.op} ${problem}; the value is ${found}`, 'value')];
  });

export const valueIgnored: Rule = ({ flow }) =>
  flow.edges.flatMap((edge) => {
    const { condition } = edge;
    if (condition?.op == null || operators[condition.op].takes !== 'none') return [];
    const { op, value } = condition;
    // Editors write these into every edge, and they say what the operator says.
    if (value === undefined || value === null || value === '' || value === true) return [];
    return [atEdge(edge, `${op} takes no value, and ${shown(value)} is ignored`, 'value')];
  });

export const commaSeparatedList: Rule = ({ flow }) =>
  flow.edges
    .filter(({ condition }) => condition?.op != null && operators[condition.op].takes === 'list')
    .filter(({ condition }) => typeof condition!.value === 'string' && !isRendered(condition!.value))
    .map((edge) => atEdge(edge, `${shown(edge.condition!.value)} is split at its commas`, 'value'));

export const regexInvalid: Rule = ({ flow, patternProblem }) =>
  flow.edges.flatMap((edge) => {
    const { condition, caseSensitive } = edge;
    if (condition?.op == null || operators[condition.op].takes !== 'pattern') return [];
    const pattern = scalarText(condition.value);
    if (pattern === null || pattern === '' || isRendered(pattern)) return [];
    const problem = patternProblem(pattern, caseSensitive);
    return problem === null ? [] : [atEdge(edge, `Pattern ${quoted(pattern)}: ${problem}`, 'value')];
  });

export const missingDefault: Rule = (index) =>
  index.nodes.flatMap((node, vertex) => {
    const edges = index.edgesOf[vertex]!;
    if (edges.length === 0 || edges.some(({ kind }) => kind === 'default')) return [];
    if (index.routing[vertex]!.exhaustive) return [];
    const asked = edges.some(({ kind }) => kind === 'nl');
    const isError = node.type === 'branch' && asked;
    const message = asked
      ? `${quoted(node.id)} has no default edge for an answer that the classifier cannot place`
      : `${quoted(node.id)} has no default edge for when none of its conditions holds`;
    return [{ ...atNode(node, message), ...(isError ? {} : { severity: 'warning' as const }) }];
  });

export const shadowedEdge: Rule = (index) =>
  deadEdges(index).flatMap(({ edge, shadowedBy }) => {
    // A repeated edge is reported as such.
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

function whyNever({ condition }: EdgeModel): string {
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

/** Those of all commands go into the question of every collect node. */
export const ambiguousNl: Rule = ({ flow, repeats }) => {
  const findings: Finding[] = [];
  const compare = (edges: readonly EdgeModel[], shared: ReadonlyMap<string, EdgeModel> | null) => {
    const firsts = new Map<string, EdgeModel>();
    for (const edge of edges) {
      // A repeated edge is reported as such.
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
  const commands = priorities.flatMap((priority) => commandEdges(flow, priority));
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
