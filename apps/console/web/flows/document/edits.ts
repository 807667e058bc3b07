// Every edit of a document, as a pure function. Unchanged parts keep their objects.
import type { AuthoredEdge, AuthoredFlow, AuthoredNode } from '@parley/flow-engine';
import { boxesOf, heightOf, rowsOf, spread } from './card-size.ts';
import { placeBelow, roomAt } from './places.ts';
import { choicesOf, opOf, typeSpec } from '../tables.ts';
import { edgesFrom, edgesOf, nodeById, type Doc, type Place } from './doc.ts';

type Members = Readonly<Record<string, unknown>>;

const withFlow = (doc: Doc, flow: Partial<AuthoredFlow>): Doc => ({ ...doc, flow: { ...doc.flow, ...flow } });

/** `undefined` removes a member. */
function patched<Thing extends object>(thing: Thing, patch: Members): Thing {
  const changed = { ...thing, ...patch } as Record<string, unknown>;
  for (const [name, value] of Object.entries(patch)) if (value === undefined) delete changed[name];
  return changed as Thing;
}

export function freeId(doc: Doc, wish: string): string {
  const taken = new Set(doc.flow.nodes.map(({ id }) => id));
  for (let count = 1; ; count += 1) {
    const id = count === 1 ? wish : `${wish}_${count}`;
    if (!taken.has(id)) return id;
  }
}

export interface Added {
  readonly doc: Doc;
  readonly id: string;
}

/** A default edge: it has no condition. */
const isElse = (edge: AuthoredEdge): boolean =>
  ['variable', 'op', 'value', 'nl', 'condition', 'all', 'any'].every((member) => edge[member] == null);

/**
 * @param at position that the person chose; null = below `from`
 * @param from the node to connect from. Without `at`, the new node continues its default path: it
 * is inserted before the target of the default edge.
 * @param port the choice of `from` to connect from (card-size.ts)
 */
export function addNode(
  doc: Doc,
  type: string,
  at: Place | null,
  from: string | null = null,
  port: string | null = null,
): Added {
  const id = freeId(doc, doc.flow.nodes.length === 0 ? 'start' : type);
  const nodes = [...doc.flow.nodes, { id, type } as AuthoredNode];
  const isWalked = typeSpec(type)?.walked !== false;
  const between = from === null || at !== null || !isWalked ? null : defaultEdge(doc, type, from);
  const next = between === null ? undefined : doc.places[edgesOf(doc.flow)[between]!.target];
  const makesRoom =
    at === null && next !== undefined && from !== null && next.y > (doc.places[from]?.y ?? next.y);
  const places = makesRoom ? roomAt(doc.places, next.y) : doc.places;
  const place = at ?? (makesRoom ? next : placeBelow(boxesOf(doc.flow, places), from));
  const grown = { flow: { ...doc.flow, nodes }, places: { ...places, [id]: place } };
  if (from === null || !isWalked) return { id, doc: grown };
  if (between === null) return { id, doc: connect(grown, from, id, port) };
  const { target } = edgesOf(doc.flow)[between]!;
  return { id, doc: connect(setEdge(grown, between, { target: id }), id, target) };
}

/** The default edge of a node, which a new node splits unless the conversation ends there. */
function defaultEdge(doc: Doc, type: string, from: string): number | null {
  const index = edgesFrom(doc.flow, from).find((one) => isElse(edgesOf(doc.flow)[one]!));
  return index !== undefined && typeSpec(type)?.terminal === false ? index : null;
}

/**
 * A further edge out of a node precedes the default edge. It takes the next choice of the question;
 * without one it has no value, which is an error until the author writes it.
 */
export function connect(doc: Doc, source: string, target: string, port: string | null = null): Doc {
  const edges = edgesOf(doc.flow);
  const from = nodeById(doc, source);
  const row = from === undefined ? undefined : rowsOf(from).find((one) => one.port === port);
  const existing = row === undefined ? -1 : edges.findIndex((edge) => portOf(edge, from) === port);
  if (existing !== -1) return setEdge(doc, existing, { target });
  const last = edges.findIndex((edge) => edge.source === source && isElse(edge));
  if (last === -1 && row === undefined) return withFlow(doc, { edges: [...edges, { source, target }] });
  const variable = from?.variable ?? '';
  const choice = row === undefined ? nextChoice(doc, source) : row.value;
  const edge = {
    source,
    target,
    variable,
    op: 'eq',
    ...(choice === undefined ? {} : { value: choice }),
  } as AuthoredEdge;
  return withFlow(doc, { edges: edges.toSpliced(last === -1 ? edges.length : last, 0, edge) });
}

/** The port of the choice that an edge is for; null = none. */
export function portOf(edge: AuthoredEdge, from: AuthoredNode | undefined): string | null {
  if (from === undefined || from.variable == null || edge.source !== from.id) return null;
  const { op, value, variable } = edge;
  if (variable !== from.variable || edge.default === true) return null;
  const authored = op == null || op === '' ? 'eq' : (opOf(op) ?? '');
  const chosen = authored === 'is_true' ? true : authored === 'is_false' ? false : value;
  if (chosen === undefined || !['eq', 'is_true', 'is_false'].includes(authored)) return null;
  return rowsOf(from).find((row) => row.value === chosen)?.port ?? null;
}

/** The first choice of a question that no edge compares with. */
function nextChoice(doc: Doc, source: string): unknown {
  const taken = new Set(edgesFrom(doc.flow, source).map((index) => edgesOf(doc.flow)[index]?.value));
  return choicesOf(nodeById(doc, source)).find((choice) => !taken.has(choice));
}

export function setNode(doc: Doc, id: string, patch: Members): Doc {
  const nodes = doc.flow.nodes.map((node) => (node.id === id ? patched(node, patch) : node));
  const changed = withFlow(doc, { nodes });
  const [before, after] = [nodeById(doc, id), nodeById(changed, id)];
  if (before === undefined || after === undefined || heightOf(after) <= heightOf(before)) return changed;
  return { ...changed, places: spread(changed.flow, changed.places) };
}

export function setEdge(doc: Doc, index: number, patch: Members): Doc {
  const edges = edgesOf(doc.flow).map((edge, at) => (at === index ? patched(edge, patch) : edge));
  return withFlow(doc, { edges });
}

export const setFlow = (doc: Doc, patch: Members): Doc => ({ ...doc, flow: patched(doc.flow, patch) });

/** Updates edges and start. Does nothing when the id is taken. */
export function renameNode(doc: Doc, id: string, name: string): Doc {
  if (name === id || name === '' || nodeById(doc, name) !== undefined) return doc;
  const renamed = (end: string) => (end === id ? name : end);
  const { [id]: place, ...places } = doc.places;
  const flow: AuthoredFlow = {
    ...doc.flow,
    ...(doc.flow.start === id ? { start: name } : {}),
    nodes: doc.flow.nodes.map((node) => (node.id === id ? { ...node, id: name } : node)),
    edges: edgesOf(doc.flow).map((edge) =>
      edge.source === id || edge.target === id
        ? { ...edge, source: renamed(edge.source), target: renamed(edge.target) }
        : edge,
    ),
  };
  return { flow, places: place === undefined ? places : { ...places, [name]: place } };
}

/** Also removes the edges of removed nodes. */
export function removeAll(doc: Doc, ids: readonly string[], edgeIndexes: readonly number[] = []): Doc {
  const [gone, cut] = [new Set(ids), new Set(edgeIndexes)];
  const nodes = doc.flow.nodes.filter(({ id }) => !gone.has(id));
  const edges = edgesOf(doc.flow).filter(
    ({ source, target }, index) => !cut.has(index) && !gone.has(source) && !gone.has(target),
  );
  const places = Object.fromEntries(Object.entries(doc.places).filter(([id]) => !gone.has(id)));
  const { start, ...flow } = doc.flow;
  const kept =
    start != null && gone.has(start) ? flow : { ...flow, ...(start === undefined ? {} : { start }) };
  return { flow: { ...kept, nodes, edges }, places };
}

/**
 * Reorders the edges of one node, which the engine tries in order. Edges of other nodes keep their
 * indexes.
 */
export function moveEdge(doc: Doc, index: number, toPlace: number): { doc: Doc; index: number } {
  const source = edgesOf(doc.flow)[index]?.source;
  if (source === undefined) return { doc, index };
  const slots = edgesFrom(doc.flow, source);
  const from = slots.indexOf(index);
  const to = Math.max(0, Math.min(slots.length - 1, toPlace));
  if (from === to) return { doc, index };
  const order = slots.toSpliced(from, 1).toSpliced(to, 0, index);
  const edges = [...edgesOf(doc.flow)];
  order.forEach((old, at) => (edges[slots[at]!] = edgesOf(doc.flow)[old]!));
  return { doc: withFlow(doc, { edges }), index: slots[to]! };
}

export const placed = (doc: Doc, places: Readonly<Record<string, Place>>): Doc => ({
  ...doc,
  places: { ...doc.places, ...places },
});

export interface Clip {
  readonly nodes: readonly AuthoredNode[];
  readonly edges: readonly AuthoredEdge[];
  readonly places: Readonly<Record<string, Place>>;
}

/** Copies nodes and the edges between them. */
export function clipOf({ flow, places }: Doc, ids: readonly string[]): Clip {
  const chosen = new Set(ids);
  return {
    nodes: flow.nodes.filter(({ id }) => chosen.has(id)),
    edges: edgesOf(flow).filter(({ source, target }) => chosen.has(source) && chosen.has(target)),
    places: Object.fromEntries(Object.entries(places).filter(([id]) => chosen.has(id))),
  };
}

/** Offset of pasted nodes. */
const PASTED_APART = 32;

/** Gives pasted nodes new ids. */
export function withPasted(doc: Doc, clip: Clip): { doc: Doc; ids: string[] } {
  const names = new Map<string, string>();
  let grown = doc;
  for (const node of clip.nodes) {
    const id = freeId(grown, node.id);
    names.set(node.id, id);
    const at = clip.places[node.id] ?? { x: 0, y: 0 };
    grown = {
      flow: { ...grown.flow, nodes: [...grown.flow.nodes, { ...node, id }] },
      places: { ...grown.places, [id]: { x: at.x + PASTED_APART, y: at.y + PASTED_APART } },
    };
  }
  const edges = clip.edges.flatMap((edge) => {
    const [source, target] = [names.get(edge.source), names.get(edge.target)];
    return source === undefined || target === undefined ? [] : [{ ...edge, source, target }];
  });
  if (edges.length === 0) return { doc: grown, ids: [...names.values()] };
  return { doc: withFlow(grown, { edges: [...edgesOf(grown.flow), ...edges] }), ids: [...names.values()] };
}
