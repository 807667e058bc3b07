// Rules about edges that compare an answer with values that its cast never captures.
import { casts, choiceValue, type Cast, type CastSpec } from '@parley/answers';
import { listComparisons } from '@parley/flow-engine/define/conditions';
import type { Condition, EdgeModel, NodeModel } from '@parley/flow-engine/define/model';
import { operators } from '@parley/flow-engine/define/operators';
import { compileComparison } from '@parley/flow-engine/read/compare';
import {
  foldCase,
  listElements,
  readBoolean,
  readDecimal,
  readIso,
  scalarText,
} from '@parley/answers/readings';
import { atComparison, shown, type Finding } from '../finding.ts';
import type { Rule } from '../rule.ts';
import type { FlowIndex } from '../flow-index.ts';
import { isRendered } from '../value-shapes.ts';

/** A comparison of a collect node's answer on an edge of its own, with its constants. */
interface AnswerEdge {
  readonly node: NodeModel;
  readonly edge: EdgeModel;
  readonly compared: Condition;
  readonly constants: readonly unknown[];
}

function answerEdges({ flow, readPath }: FlowIndex): AnswerEdge[] {
  return flow.nodes.flatMap((node) => {
    const answer = node.type === 'collect' && node.raw.variable != null ? readPath(node.raw.variable) : null;
    if (answer === null) return [];
    const edges = (flow.outgoing.get(node.id) ?? []).filter(({ kind }) => kind === 'deterministic');
    return edges.flatMap((edge) =>
      listComparisons(edge).flatMap((compared) => {
        const { variable, op, value } = compared;
        if (variable === null || op === null) return [];
        if (readPath(variable)?.path !== answer.path || !equalities.has(op)) return [];
        const constants = operators[op].takes === 'list' ? listElements(value) : [value];
        return constants.some(isRendered) ? [] : [{ node, edge, compared, constants }];
      }),
    );
  });
}

/** Operators for which a constant that no answer equals makes the comparison pointless. */
const equalities: ReadonlySet<string> = new Set(['eq', 'neq', 'in', 'not_in']);

export const valueOutsideChoices: Rule = (index) =>
  answerEdges(index).flatMap(({ node, edge, compared, constants }): Finding[] => {
    if (node.cast !== 'enum' || !node.raw.choices?.length) return [];
    const values = node.raw.choices.map(choiceValue);
    const { caseSensitive } = edge;
    const outside = constants.filter(
      (constant) =>
        scalarText(constant) !== null &&
        !values.some((value) => compileComparison('eq', constant, { caseSensitive })(value).matched),
    );
    const [first] = outside;
    if (first === undefined) return [];
    const what = outside.length === 1 ? shown(first) : `one of ${shown(outside)}`;
    return [atComparison(edge, compared, `No choice of "${node.id}" is ${what}`, 'value')];
  });

export const deadEdgeBehindCast: Rule = (index) =>
  answerEdges(index).flatMap(({ node, edge, compared, constants }): Finding[] => {
    const { op } = compared;
    if ((op !== 'eq' && op !== 'in') || node.cast === null || constants.length === 0) return [];
    const { cast } = node;
    if (constants.some((constant) => scalarText(constant) === null || mayCapture(cast, constant))) return [];
    const what = constants.length === 1 ? shown(constants[0]) : shown(constants);
    return [atComparison(edge, compared, `The cast ${cast} never captures ${what}`, 'value')];
  });

/** Whether an answer that the cast captured may equal a scalar. */
function mayCapture(cast: Cast, constant: unknown): boolean {
  if (cast === 'boolean') return readBoolean(constant) !== null;
  if (cast === 'integer') return Number.isInteger(readDecimal(constant));
  if (cast === 'time') return readIso(constant)?.kind === 'time';
  if (cast === 'date' || cast === 'datetime') return readIso(constant)?.kind === 'date';
  const text = foldCase(String(constant));
  if (cast === 'email') return text.includes('@');
  if (cast === 'phone') return text.startsWith('+');
  if (cast === 'url') return text.startsWith('http');
  if (cast === 'code') return /^[\p{L}\d]+$/u.test(text);
  return (casts[cast] as CastSpec).captures !== 'number' || readDecimal(constant) !== null;
}
