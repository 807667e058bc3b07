// The state of the flow page: the document, its undo history and the selection.
import { create } from 'zustand';
import type { AuthoredFlow } from '@parley/flow-engine';
import type { Called } from '../../engine/called.ts';
import type { Checked } from '../../engine/check.ts';
import { none, problemsOf, type Problems } from './problems.ts';
import { edgesOf, nodeById, toDoc, type Doc } from './doc.ts';

export interface Selection {
  readonly nodes: readonly string[];
  /** Position in `edges`. */
  readonly edge: number | null;
}

/** The stored version that the document started from. */
export interface Base {
  readonly version: number;
  readonly etag: string;
  readonly doc: Doc;
}

export interface FlowState {
  readonly flowId: string;
  readonly base: Base | null;
  readonly doc: Doc;
  readonly past: readonly Doc[];
  readonly future: readonly Doc[];
  readonly selection: Selection;
  /** The engine's last result; it may lag behind the document. */
  readonly checked: Checked | null;
  /** The findings by node and edge. */
  readonly problems: Problems;
  /** The source of an edge that is drawn by keyboard. */
  readonly connectFrom: string | null;
  /** Ids of highlighted nodes: the proof of a finding, or the longest turn. */
  readonly shownPath: readonly string[];
  /** Indexes of highlighted edges. If empty, the edges between `shownPath` are highlighted. */
  readonly shownEdges: readonly number[];
  /** The flows that the document calls; null while loading. */
  readonly called: Called | null;
  /** Ids of nodes whose called flow is expanded on the canvas. */
  readonly unfolded: readonly string[];
  /** Announcement for screen readers. */
  readonly announced: string;
}

interface Burst {
  readonly name: string;
  readonly at: number;
}
let burst: Burst | null = null;
/** Changes with one name within this time of each other are one undo step. */
const BURST_MS = 1_000;
const STEPS_MAX = 200;

export const emptyDoc: Doc = { flow: { nodes: [], edges: [] }, places: {} };
const nothing: Selection = { nodes: [], edge: null };

export const useFlow = create<FlowState>()(() => ({
  flowId: '',
  base: null,
  doc: emptyDoc,
  past: [],
  future: [],
  selection: nothing,
  checked: null,
  problems: none,
  connectFrom: null,
  shownPath: [],
  shownEdges: [],
  called: null,
  unfolded: [],
  announced: '',
}));

const { getState, setState } = useFlow;

export function openFlow(flowId: string, base: Base, doc: Doc): void {
  burst = null;
  setState({
    flowId,
    base,
    doc,
    past: [],
    future: [],
    selection: nothing,
    checked: null,
    problems: none,
    connectFrom: null,
    shownPath: [],
    shownEdges: [],
    called: null,
    unfolded: [],
    announced: '',
  });
}

/** Adds an undo step. Changes with the same burst name share one step. */
export function change(edit: (doc: Doc) => Doc, announced: string, burstName?: string): void {
  setState((state) => {
    const doc = edit(state.doc);
    if (doc === state.doc) return state;
    const now = Date.now();
    const goesOn = burstName !== undefined && burst?.name === burstName && now - burst.at < BURST_MS;
    burst = burstName === undefined ? null : { name: burstName, at: now };
    const past = goesOn ? state.past : [...state.past.slice(1 - STEPS_MAX), state.doc];
    return {
      doc,
      past,
      future: [],
      announced,
      shownPath: [],
      shownEdges: [],
      selection: within(doc, state.selection),
    };
  });
}

/** Sets automatic positions: no change of the document and no undo step. */
export function settle(places: Doc['places']): void {
  setState(({ doc, base }) => {
    const placed = { ...doc, places: { ...places, ...doc.places } };
    return { doc: placed, base: base !== null && base.doc === doc ? { ...base, doc: placed } : base };
  });
}

export function undo(): void {
  burst = null;
  setState(({ past, doc, future, selection }) => {
    const before = past.at(-1);
    if (before === undefined) return { announced: 'Nothing to undo' };
    return {
      doc: before,
      past: past.slice(0, -1),
      future: [doc, ...future],
      announced: 'Undone',
      selection: within(before, selection),
    };
  });
}

export function redo(): void {
  burst = null;
  setState(({ past, doc, future, selection }) => {
    const [after, ...later] = future;
    if (after === undefined) return { announced: 'Nothing to redo' };
    return {
      doc: after,
      past: [...past, doc],
      future: later,
      announced: 'Redone',
      selection: within(after, selection),
    };
  });
}

export function select(nodes: readonly string[], edge: number | null = null): void {
  const { selection } = getState();
  const isSame =
    edge === selection.edge &&
    nodes.length === selection.nodes.length &&
    nodes.every((id, at) => id === selection.nodes[at]);
  if (!isSame) setState({ selection: { nodes, edge } });
}

export function toggleFold(id: string): void {
  setState(({ unfolded }) =>
    unfolded.includes(id)
      ? { unfolded: unfolded.filter((one) => one !== id), announced: `Collapsed the flow that ${id} calls` }
      : { unfolded: [...unfolded, id], announced: `Expanded the flow that ${id} calls` },
  );
}

export const announce = (announced: string): void => setState({ announced });
export const showPath = (shownPath: readonly string[], shownEdges: readonly number[] = []): void =>
  setState({ shownPath, shownEdges });
export const learn = (checked: Checked, flow: AuthoredFlow): void =>
  setState({ checked, problems: problemsOf(flow, checked) });

export function connectFromNode(connectFrom: string | null): void {
  const announced =
    connectFrom === null
      ? 'Connecting canceled'
      : `Connecting from ${connectFrom}: go to a node and press Enter`;
  setState({ connectFrom, announced });
}

/** Makes the saved version the new base. */
export const rebase = (base: Base): void => setState({ base });

/** Returns to the stored version. */
export const discard = (): void => change(() => getState().base?.doc ?? emptyDoc, 'Discarded changes');

export const isDirty = ({ doc, base }: Pick<FlowState, 'doc' | 'base'>): boolean =>
  base === null || doc.flow !== base.doc.flow || doc.places !== base.doc.places;

export const openDefinition = (flowId: string, base: Omit<Base, 'doc'>, definition: Doc['flow']): void => {
  const doc = toDoc(definition);
  openFlow(flowId, { ...base, doc }, doc);
};

/** Drops removed nodes and edges from a selection. */
function within(doc: Doc, { nodes, edge }: Selection): Selection {
  const left = nodes.filter((id) => nodeById(doc, id) !== undefined);
  const edgeLeft = edge !== null && edge < edgesOf(doc.flow).length ? edge : null;
  return left.length === nodes.length && edgeLeft === edge
    ? { nodes, edge }
    : { nodes: left, edge: edgeLeft };
}
