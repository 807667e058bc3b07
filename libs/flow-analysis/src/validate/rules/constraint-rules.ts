// Rules about the number of edges and nodes: the defaults of the table of node types, which
// `graph_constraints` of a node overrides member by member. Parallel edges count each.
import { isCommand } from '@parley/flow-engine/define/commands';
import type { NodeModel } from '@parley/flow-engine/define/model';
import { nodeTypes, type GraphConstraints, type NodeType } from '@parley/flow-engine/define/node-types';
import { isWait } from '../node-kinds.ts';
import { atNode, quoted, shown, type Finding } from '../finding.ts';
import type { Rule } from '../rule.ts';
import { groupBy } from '../group-by.ts';

type ConstraintSubject = 'incoming' | 'outgoing' | 'instances';

/** The members of `graph_constraints`, as authored. */
const members = {
  min_incoming: 'minIncoming',
  max_incoming: 'maxIncoming',
  min_outgoing: 'minOutgoing',
  max_outgoing: 'maxOutgoing',
  min_instances: 'minInstances',
  max_instances: 'maxInstances',
} as const satisfies Record<string, keyof GraphConstraints>;

type Member = keyof typeof members;

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;

const none: ReadonlyMap<Member, number> = new Map();

/**
 * The node's own constraints, without members that are no count (constraint_invalid reports them).
 */
function ownConstraints({ raw }: NodeModel): ReadonlyMap<Member, number> {
  const authored = raw.graph_constraints;
  if (authored == null) return none;
  const valid = (Object.keys(members) as Member[]).filter((member) => isCount(authored[member]));
  return new Map(valid.map((member) => [member, authored[member] as number] as const));
}

function constraint(node: NodeModel, member: Member): number | null {
  const own = ownConstraints(node).get(member);
  if (own !== undefined || node.type === null) return own ?? null;
  // A handoff that returns has outgoing edges like any other node.
  if (member === 'max_outgoing' && isWait(node)) return null;
  return nodeTypes[node.type].constraints[members[member]];
}

/** A rule that compares a count with one end of its constraint. */
function countRule(counted: ConstraintSubject, end: 'min' | 'max'): Rule {
  const member: Member = `${end}_${counted}`;
  return (index) => {
    const findings: Finding[] = [];
    // Of nodes that share an id, only the first has edges, but each is an instance. Commands are
    // triggers with a bound of their own (command_too_many).
    const nodes = counted === 'instances' ? index.flow.nodes.filter((node) => !isCommand(node)) : index.nodes;
    const count = counted === 'instances' ? countInstances(nodes) : index[counted];
    const seen = new Map<NodeType, number>();
    nodes.forEach((node, place) => {
      if (node.type === null) return;
      const before = seen.get(node.type) ?? 0;
      seen.set(node.type, before + 1);
      const bound = constraint(node, member);
      const actual = count[place]!;
      if (bound === null || (end === 'min' ? actual >= bound : actual <= bound)) return;
      const isOwn = ownConstraints(node).has(member);
      // Each such edge is reported itself: terminal_has_outgoing, edge_on_declarative_node.
      if (!isOwn && bound === 0) return;
      // Exceeding a default is reported at the nodes beyond it, not at the earlier ones.
      if (counted === 'instances' && !isOwn && before < bound) return;
      const message = `${quoted(node.id)} has ${actual} ${what(counted, node)}, at ${end === 'min' ? 'least' : 'most'} ${bound}`;
      findings.push(isOwn ? atNode(node, message, 'graph_constraints', member) : atNode(node, message));
    });
    return findings;
  };
}

function what(counted: ConstraintSubject, { type }: NodeModel): string {
  return counted === 'instances' ? `nodes of type ${type} in its flow` : `${counted} edges`;
}

/** For every node, the number of nodes of its type. */
function countInstances(nodes: readonly NodeModel[]): number[] {
  const totals = groupBy(nodes, ({ type }) => type);
  return nodes.map(({ type }) => totals.get(type)!.length);
}

export const constraintMinIncoming = countRule('incoming', 'min');
export const constraintMaxIncoming = countRule('incoming', 'max');
export const constraintMinOutgoing = countRule('outgoing', 'min');
export const constraintMaxOutgoing = countRule('outgoing', 'max');
export const constraintMinInstances = countRule('instances', 'min');
export const constraintMaxInstances = countRule('instances', 'max');

export const constraintInvalid: Rule = ({ flow }) =>
  flow.nodes.flatMap((node) => {
    const authored = node.raw.graph_constraints;
    if (authored == null) return [];
    const wrong = Object.entries(authored).flatMap(([name, value]) => {
      if (!Object.hasOwn(members, name))
        return [atNode(node, `No constraint ${quoted(name)}`, 'graph_constraints', name)];
      if (value === null || isCount(value)) return [];
      return [
        atNode(node, `${name} is ${shown(value)}, not a whole number from 0`, 'graph_constraints', name),
      ];
    });
    const crossed = (['incoming', 'outgoing', 'instances'] as const).flatMap((counted) => {
      const own = ownConstraints(node);
      if (!own.has(`min_${counted}`) && !own.has(`max_${counted}`)) return [];
      const [min, max] = [constraint(node, `min_${counted}`), constraint(node, `max_${counted}`)];
      if (min === null || max === null || min <= max) return [];
      return [atNode(node, `min_${counted} ${min} is more than max_${counted} ${max}`, 'graph_constraints')];
    });
    return [...wrong, ...crossed];
  });
