// Rules about the results of tools and agents: what is known of them, and what the flow reads.
import { atEdge, atNode, quoted, type Finding } from '../finding.ts';
import { groupBy } from '../group-by.ts';
import { findSchemaProblem, mayHaveMember, readResultShape } from '../result-shapes.ts';
import type { Rule } from '../rule.ts';
import { listPrefixes } from '../variable-paths.ts';
import type { VariableRead, VariableWrite } from '../variable-uses.ts';

export const outputSchemaInvalid: Rule = ({ flow }) =>
  flow.nodes.flatMap((node): Finding[] => {
    const schema = node.raw['output_schema'];
    if (schema === undefined || schema === null || node.type === null) return [];
    if (node.type !== 'tool') {
      const message = 'Only a tool has a result with `output_schema`';
      return [{ ...atNode(node, message, 'output_schema'), severity: 'warning' }];
    }
    const problem = findSchemaProblem(schema);
    return problem === null ? [] : [atNode(node, `output_schema: ${problem}`, 'output_schema')];
  });

export const resultMemberUnknown: Rule = ({ variables }) => {
  const writesAt = groupBy(variables.writes, ({ path }) => path);
  return variables.reads.flatMap((read): Finding[] => {
    if (read.unsetIsFine || read.by === 'context') return [];
    const writers = findWriters(read, writesAt);
    if (writers.length === 0 || writers.some((write) => mayWrite(write, read))) return [];
    const agent = writers.find(({ by }) => by === 'autonomous');
    const [first] = writers;
    const message = `${quoted(read.path)} is read, and the result of ${quoted(first!.node.id)} has no such member`;
    const place = read.edge === null ? null : atEdge(read.edge, message);
    const at = place ?? (read.node === null ? { message } : atNode(read.node, message));
    const finding = { ...at, path: read.at };
    return [agent === undefined ? finding : { ...finding, severity: 'warning' }];
  });
};

/** The nodes that write what contains the path; empty when a node writes the path by itself. */
function findWriters(
  { path }: VariableRead,
  writesAt: ReadonlyMap<string, readonly VariableWrite[]>,
): readonly VariableWrite[] {
  const writers = listPrefixes(path).map((prefix) => writesAt.get(prefix) ?? []);
  return writers.at(-1)!.length > 0 ? [] : writers.flat();
}

function mayWrite({ by, node, path }: VariableWrite, read: VariableRead): boolean {
  const shape = by === 'tool' || by === 'autonomous' ? readResultShape(node) : null;
  if (shape === null) return true;
  return mayHaveMember(shape, read.path.split('.').slice(path.split('.').length));
}
