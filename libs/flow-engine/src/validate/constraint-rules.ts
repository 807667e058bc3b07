// Rules about how many edges and nodes there may be: the defaults of the table of node types, overridden member by member by
// `graph_constraints` of a node. Parallel edges count each. Called through rules.ts.
import type { NodeModel } from '../model.ts';
import { nodeTypes, type GraphConstraints } from '../node-types.ts';
import { atNode, quoted, shown, type Finding, type Rule } from './finding.ts';
import type { FlowIndex } from './flow-index.ts';

type Counted = 'incoming' | 'outgoing' | 'instances';

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

/** What a node asks for itself; members that are no count are left out (constraint_invalid reports them). */
function ownConstraints({ raw }: NodeModel): ReadonlyMap<Member, number> {
  const authored = raw.graph_constraints;
  if (authored == null) return new Map();
  const valid = (Object.keys(members) as Member[]).filter((member) => isCount(authored[member]));
  return new Map(valid.map((member) => [member, authored[member] as number] as const));
}

function constraint(node: NodeModel, member: Member): number | null {
  const own = ownConstraints(node).get(member);
  return own ?? (node.type === null ? null : nodeTypes[node.type].constraints[members[member]]);
}

/** A rule that compares a count with one end of its constraint. */
function countRule(counted: Counted, end: 'min' | 'max'): Rule {
  const member: Member = `${end}_${counted}`;
  return (index) => {
    const findings: Finding[] = [];
    const count = counts[counted](index);
    for (const node of counted === 'instances' ? index.flow.nodes : index.nodes) {
      if (node.type === null) continue;
      const bound = constraint(node, member);
      const actual = count(node);
      if (bound === null || (end === 'min' ? actual.total >= bound : actual.total <= bound)) continue;
      const isOwn = ownConstraints(node).has(member);
      // A default that is exceeded is reported at the nodes beyond it, not at those that were there first.
      if (counted === 'instances' && !isOwn && actual.place < bound) continue;
      const message = `${quoted(node.id)} has ${actual.total} ${what(counted, node)}, at ${end === 'min' ? 'least' : 'most'} ${bound}`;
      findings.push(isOwn ? atNode(node, message, 'graph_constraints', member) : atNode(node, message));
    }
    return findings;
  };
}

function what(counted: Counted, { type }: NodeModel): string {
  return counted === 'instances' ? `nodes of type ${type} in its flow` : `${counted} edges`;
}

/** How many there are in all, and which of them this one is (from 0). */
interface Count {
  readonly total: number;
  readonly place: number;
}

const counts: Record<Counted, (index: FlowIndex) => (node: NodeModel) => Count> = {
  incoming: ({ flow }) => tally(flow.edges.map(({ target }) => target)),
  outgoing: ({ flow }) => tally(flow.edges.map(({ source }) => source)),
  instances: ({ flow }) => {
    const totals = new Map<unknown, number>();
    const places = new Map<NodeModel, number>();
    for (const node of flow.nodes) {
      const place = totals.get(node.type) ?? 0;
      places.set(node, place);
      totals.set(node.type, place + 1);
    }
    return (node) => ({ total: totals.get(node.type) ?? 0, place: places.get(node) ?? 0 });
  },
};

function tally(ids: readonly string[]): (node: NodeModel) => Count {
  const totals = new Map<string, number>();
  for (const id of ids) totals.set(id, (totals.get(id) ?? 0) + 1);
  return ({ id }) => ({ total: totals.get(id) ?? 0, place: 0 });
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
