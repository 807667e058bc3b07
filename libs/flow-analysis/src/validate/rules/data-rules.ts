// Rules about the variables of a flow: who sets them, who reads them, and whether a template is
// well-formed.
import { readAssignments } from '@parley/flow-engine/define/assignments';
import type { NodeModel } from '@parley/flow-engine/define/model';
import { readVariants } from '@parley/flow-engine/define/variants';
import { compileWriter, pseudoVariables } from '@parley/flow-engine/read/paths';
import { findUnsetReads } from '../graph/assignment.ts';
import { atEdge, atNode, itemsPerCodeMax, quoted, type Finding } from '../finding.ts';
import type { Rule } from '../rule.ts';
import { toWitness, type FlowIndex } from '../flow-index.ts';
import { groupBy } from '../group-by.ts';
import { isLeft } from '../node-kinds.ts';
import { isEngineName, type VariableRead, type VariableWrite } from '../variable-uses.ts';
import { makePathMatcher } from '../variable-paths.ts';

/**
 * Reads of variables that no node sets, by the name that the caller has to bring: the variable, or
 * the part of it that the flow does not set.
 */
function readsOfUnwritten({ variables, isWritten }: FlowIndex): ReadonlyMap<string, readonly VariableRead[]> {
  const unwritten = variables.reads.filter(({ path, hasDefault }) => !hasDefault && !isWritten(path));
  return groupBy(unwritten, ({ path, root }) => (isWritten(root) ? path : root));
}

/** What the caller must bring in `variables`, in alphabetical order. */
export function listRequiredVariables(index: FlowIndex): string[] {
  return [...readsOfUnwritten(index).keys()].sort((a, b) => (a < b ? -1 : 1));
}

function atRead({ node, edge, at }: VariableRead, message: string): Finding {
  const place = edge !== null ? atEdge(edge, message) : node !== null ? atNode(node, message) : { message };
  return { ...place, path: at };
}

export const variableNeverSet: Rule = (index) =>
  [...readsOfUnwritten(index)].flatMap(([name, reads]) => {
    const [first, ...others] = reads.filter(({ by }) => by !== 'context');
    if (first === undefined) return [];
    const more =
      others.length === 0
        ? ''
        : `, here and in ${others.length} other place${others.length === 1 ? '' : 's'}`;
    return [atRead(first, `${quoted(name)} is read${more}, and no node sets it`)];
  });

export const variableMaybeUnset: Rule = (index) =>
  findUnsetReads(index, itemsPerCodeMax).map(({ variable, read, path, promised }) => {
    const message = promised
      ? `${quoted(variable)} is read before the result of the tool is there: it comes after the turn`
      : `${quoted(variable)} is read, but on this path nothing has set it`;
    return { ...atRead(read, message), witness: toWitness(index, path) };
  });

export const capturedButUnused: Rule = ({ variables }) => {
  if (variables.bagIsSent) return [];
  const isRead = makePathMatcher(variables.reads.map(({ path }) => path));
  return variables.writes
    .filter(({ by, path }) => by === 'collect' && !isRead(path) && !isEngineName(path))
    .map(({ node, path }) => atNode(node, `Nothing in the flow reads ${quoted(path)}`, 'variable'));
};

export const templateSyntax: Rule = ({ variables }) =>
  variables.faults.map(({ node, edge, at, message }) => {
    const place = edge !== null ? atEdge(edge, message) : node !== null ? atNode(node, message) : { message };
    return { ...place, path: at };
  });

export const variantsInvalid: Rule = ({ flow }) =>
  flow.nodes.flatMap((node) => {
    if (node.type !== 'message' && node.type !== 'collect') return [];
    const { problem } = readVariants(node.raw);
    return problem === null ? [] : [atNode(node, problem, 'variants')];
  });

export const setInvalid: Rule = ({ flow }) =>
  flow.nodes.flatMap((node): Finding[] => {
    if (node.raw['set'] == null || node.type === null) return [];
    if (!isLeft(node)) {
      const message = `${quoted(node.id)} is never left, so that nothing is set`;
      return [{ ...atNode(node, message, 'set'), severity: 'warning' }];
    }
    const { assignments, problems } = readAssignments(node.raw);
    return [
      ...problems.map(({ index, message }) =>
        atNode(node, message, 'set', ...(index === null ? [] : [index])),
      ),
      ...assignments.flatMap(({ index, variable }) => {
        const lost = whyLost(variable);
        const message = `${quoted(variable)} cannot be set: ${lost}`;
        return lost === null ? [] : [atNode(node, message, 'set', index, 'variable')];
      }),
    ];
  });

export const unknownCast: Rule = ({ flow }) =>
  flow.nodes
    .filter(({ type, cast }) => type === 'collect' && cast === null)
    .map((node) => atNode(node, `No cast ${quoted(String(node.raw.cast))}`, 'cast'));

export const enumWithoutChoices: Rule = ({ flow }) =>
  flow.nodes
    .filter(({ type, cast, raw }) => type === 'collect' && cast === 'enum' && !raw.choices?.length)
    .map((node) => atNode(node, `${quoted(node.id)} accepts one of no choices`, 'choices'));

export const collectWithoutVariable: Rule = ({ flow }) =>
  flow.nodes.flatMap((node) => {
    const { variable } = node.raw;
    if (node.type !== 'collect') return [];
    if (variable == null || variable.trim() === '')
      return [atNode(node, `The answer to ${quoted(node.id)} is kept nowhere`, 'variable')];
    const lost = whyLost(variable);
    return lost === null
      ? []
      : [atNode(node, `The answer cannot be kept in ${quoted(variable)}: ${lost}`, 'variable')];
  });

function whyLost(variable: string): string | null {
  if (compileWriter(variable) === null) return 'that is no variable of a flow';
  const isRead = !Object.hasOwn(pseudoVariables, variable.trim().split(/[.[]/)[0] ?? '');
  return isRead ? null : 'reading it gives what the engine knows of the turn';
}

/**
 * Two calls of one tool, or two agents, may share a variable: the later result replaces the
 * earlier. Anything else is an accident.
 */
export const outputVarCollision: Rule = ({ flow, variables }) => {
  const lost = flow.nodes.filter(writesResult).flatMap((node) => {
    const why = node.outputVar === null ? null : whyLost(node.outputVar);
    return why === null
      ? []
      : [atNode(node, `The result cannot be kept in ${quoted(node.outputVar!)}: ${why}`, 'output_var')];
  });
  // Resetting a result before a node asks for it again is no accident.
  const results = variables.writes.filter(({ by }) => by !== 'set');
  const collisions = [...groupBy(results, ({ path }) => path)].flatMap(([path, writes]) => {
    const sources = groupBy(writes, describeSource);
    const [first, second] = [...sources.values()].map(([write]) => write!);
    if (second === undefined) return [];
    return writes
      .filter(({ by }) => by === 'tool' || by === 'autonomous')
      .map((write) => {
        const other = describeSource(first!) === describeSource(write) ? second : first!;
        return atNode(
          write.node,
          `${quoted(path)} is also written by ${quoted(other.node.id)}`,
          'output_var',
        );
      });
  });
  return [...lost, ...collisions];
};

const writesResult = ({ type }: NodeModel): boolean => type === 'tool' || type === 'autonomous';

function describeSource({ by, node }: VariableWrite): string {
  if (by === 'tool') return `tool ${node.raw.tool ?? ''}`;
  return by === 'autonomous' ? 'agent' : 'answer';
}
