// Describes a diff in plain English.
import type { FlowModel } from '@parley/flow-engine/define/model';
import { describeCondition, listed } from '../validate/describe.ts';
import { quoted, shown } from '../validate/finding.ts';
import type { EdgeChange, EdgeEntry, FlowDiff, NodeChange } from './flow-diff.ts';
import type { ValueChange } from './json-changes.ts';

type StructuredDiff = Pick<FlowDiff, 'metadata' | 'nodes' | 'edges'>;

/** Changes of one kind that get a sentence each; more share one sentence, which names as many. */
const sentencesPerKindMax = 3;

/** One sentence for each change, or for all changes of a kind. */
export function describeDiff(
  from: FlowModel,
  to: FlowModel,
  diff: StructuredDiff,
  operations: number,
): string[] {
  const { metadata, nodes, edges } = diff;
  const edgeNow = (index: number) => describeEdge(to, index);
  const sentences = [
    ...each(
      metadata,
      'Changed',
      'members of the flow',
      (change) => describeMetadata(change),
      ({ path }) => path.slice(1),
    ),
    ...each(
      nodes.added,
      'Added',
      'nodes',
      ({ id }) => `Added ${describeNode(to, id)}.`,
      ({ id }) => quoted(id),
    ),
    ...each(
      nodes.removed,
      'Removed',
      'nodes',
      ({ id }) => `Removed ${describeNode(from, id)}.`,
      ({ id }) => quoted(id),
    ),
    ...each(
      nodes.changed,
      'Changed',
      'nodes',
      (change) => describeNodeChange(to, change),
      ({ id }) => quoted(id),
    ),
    ...each(
      edges.added,
      'Added',
      'edges',
      ({ edge_index }) => `Added the edge ${edgeNow(edge_index)}.`,
      ends,
    ),
    ...each(
      edges.removed,
      'Removed',
      'edges',
      ({ edge_index }) => `Removed the edge ${describeEdge(from, edge_index)}.`,
      ends,
    ),
    ...each(edges.changed, 'Changed', 'edges', (change) => describeEdgeChange(to, change), ends),
    ...each(
      edges.moved,
      'Moved',
      'edges',
      ({ to_index, before, after }) =>
        `The edge ${edgeNow(to_index)} is tried as number ${after} instead of ${before}.`,
      ends,
    ),
  ];
  if (sentences.length > 0) return sentences;
  return [operations === 0 ? 'No changes.' : 'Only the layout or the order of nodes changed.'];
}

function each<Change>(
  changes: readonly Change[],
  verb: string,
  what: string,
  sentence: (change: Change) => string,
  name: (change: Change) => string,
): string[] {
  if (changes.length <= sentencesPerKindMax) return changes.map(sentence);
  const named = changes.slice(0, sentencesPerKindMax).map(name);
  return [
    `${verb} ${changes.length} ${what}: ${listed([...named, `${changes.length - named.length} more`])}.`,
  ];
}

const ends = ({ source, target }: Pick<EdgeEntry, 'source' | 'target'>): string =>
  `${quoted(source)} to ${quoted(target)}`;

function describeNode({ nodesById }: FlowModel, id: string): string {
  const type = nodesById.get(id)?.type;
  return `${type == null ? 'node' : `${type} node`} ${quoted(id)}`;
}

function describeEdge({ edges }: FlowModel, index: number): string {
  const edge = edges[index]!;
  return `from ${ends(edge)} (${describeCondition(edge)})`;
}

function describeMetadata({ path, before, after }: ValueChange): string {
  if (path === '/name') return `Renamed the flow from ${shownOrNone(before)} to ${shownOrNone(after)}.`;
  if (path === '/start') return `The flow starts at ${shownOrNone(after)} instead of ${shownOrNone(before)}.`;
  return `Changed ${path.slice(1)} of the flow.`;
}

function describeNodeChange(to: FlowModel, { id, changes }: NodeChange): string {
  return describeChanges(describeNode(to, id), changes);
}

function describeEdgeChange(to: FlowModel, { to_index, changes }: EdgeChange): string {
  const edge = to.edges[to_index]!;
  const [only, ...others] = changes;
  if (others.length === 0 && only?.path === '/target')
    return `The edge from ${quoted(edge.source)} (${describeCondition(edge)}) leads to ${shown(only.after)} instead of ${shown(only.before)}.`;
  return describeChanges(`the edge ${describeEdge(to, to_index)}`, changes);
}

/** Gives both values of a single scalar change, and the names of others. */
function describeChanges(what: string, changes: readonly ValueChange[]): string {
  const [only, ...others] = changes;
  if (only !== undefined && others.length === 0)
    return `Changed ${only.path.slice(1)} of ${what} from ${shownOrNone(only.before)} to ${shownOrNone(only.after)}.`;
  const names = [...new Set(changes.map(({ path }) => path.split('/')[1]!))];
  const more = names.length - namesMax;
  return `Changed ${listed([...names.slice(0, namesMax), ...(more > 0 ? [`${more} more`] : [])])} of ${what}.`;
}

/** Members named in one sentence. */
const namesMax = 5;

const shownOrNone = (value: unknown): string => (value == null ? 'none' : shown(value));
