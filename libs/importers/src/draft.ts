// A definition while it is made from a document of others, and what became of each part of that document.
import { idProblem, limits, type AuthoredEdge, type AuthoredNode } from '@parley/flow-engine';
import { membersOf, type Members } from './source.ts';

/** mapped: says and does the same. approximated: stands for it, and `reason` says what differs. dropped: nothing stands for it. */
export type Outcome = 'mapped' | 'approximated' | 'dropped';

/** What became of one node of the source (docs/importers.md#loss-report). */
export interface ReportEntry {
  /** RFC 6901, into the document that was given. */
  readonly pointer: string;
  readonly name: string;
  /** As the source calls it. */
  readonly type: string;
  readonly outcome: Outcome;
  /** null = nothing differs. */
  readonly reason: string | null;
  /** What stands for it. */
  readonly node_ids: readonly string[];
}

/** What a node of the source came to. */
export interface Made {
  readonly outcome: Outcome;
  readonly reason: string | null;
  readonly ids: readonly string[];
}

export const mapped = (...ids: readonly string[]): Made => ({ outcome: 'mapped', reason: null, ids });
export const approximated = (reason: string, ...ids: readonly string[]): Made => ({
  outcome: 'approximated',
  reason,
  ids,
});
/** Where the way led through it, an empty branch stands in its place. */
export const dropped = (reason: string, ...ids: readonly string[]): Made => ({
  outcome: 'dropped',
  reason,
  ids,
});

/** More nodes or edges than a flow may have; caught where the import begins. */
export class TooLarge extends Error {}

/** Where an edge leads, and on what. */
export type EdgeCondition = Partial<Omit<AuthoredEdge, 'source' | 'target'>>;

/** The order of the document, where that is one of lists. */
const byPointer = new Intl.Collator('en', { numeric: true });
const fallback: EdgeCondition = { default: true };

export class Draft {
  readonly nodes: AuthoredNode[] = [];
  readonly edges: AuthoredEdge[] = [];
  start: string | null = null;
  name: string | null = null;
  private readonly entries: ReportEntry[] = [];
  private readonly taken = new Set<string>();
  /** Where the search for a free id of a stem goes on. */
  private readonly counts = new Map<string, number>();
  /** Nodes with a text that was cut. */
  private readonly cut = new Set<string>();
  private ending: string | null = null;

  /** An id of its own that tells what was wanted. */
  id(wanted: string): string {
    const legal = wanted
      .normalize('NFKD')
      .replace(/[^A-Za-z0-9_.:-]+/gu, '_')
      .replace(/^_+|_+$/gu, '')
      .slice(0, limits.idCharsMax - 8);
    const stem = idProblem(legal) === null ? legal : 'node';
    let count = this.counts.get(stem) ?? 1;
    let id = stem;
    for (; this.taken.has(id); id = `${stem}_${count}`) count += 1;
    this.counts.set(stem, count);
    this.taken.add(id);
    return id;
  }

  add(node: AuthoredNode): string {
    if (this.nodes.length >= limits.nodesMax) throw new TooLarge(`more than ${limits.nodesMax} nodes`);
    this.nodes.push(this.within(node, node.id));
    return node.id;
  }

  /** Without a condition it is the default edge. */
  join(source: string, target: string, condition: EdgeCondition = fallback): void {
    if (this.edges.length >= limits.edgesMax) throw new TooLarge(`more than ${limits.edgesMax} edges`);
    this.edges.push(this.within({ source, target, ...condition }, source));
  }

  /** With texts that are no longer than texts may be. */
  private within<T>(value: T, nodeId: string): T {
    return withinTexts(value, () => this.cut.add(nodeId)) as T;
  }

  /** The node that ends the flow without a word; one for all that simply stop. */
  end(): string {
    return (this.ending ??= this.add({ id: this.id('end'), type: 'end' }));
  }

  report(what: Pick<ReportEntry, 'pointer' | 'name' | 'type'>, { outcome, reason, ids }: Made): void {
    this.entries.push({ ...what, outcome, reason, node_ids: ids });
  }

  finish(): { readonly definition: Members; readonly report: readonly ReportEntry[] } {
    const start = this.start ?? this.nodes[0]?.id ?? this.end();
    const { name, nodes, edges } = this;
    const report = this.entries
      .sort((a, b) => byPointer.compare(a.pointer, b.pointer))
      .map((entry): ReportEntry => {
        if (entry.outcome !== 'mapped' || !entry.node_ids.some((id) => this.cut.has(id))) return entry;
        const reason = `a text was cut at ${limits.textCharsMax} characters`;
        return { ...entry, outcome: 'approximated', reason };
      });
    return { definition: { ...(name === null ? {} : { name }), start, nodes, edges }, report };
  }
}

function withinTexts(value: unknown, onCut: () => void): unknown {
  if (typeof value === 'string') {
    if (value.length <= limits.textCharsMax) return value;
    onCut();
    return value.slice(0, limits.textCharsMax);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => withinTexts(element, onCut));
  const members = Object.entries(value).map(([name, member]) => [name, withinTexts(member, onCut)] as const);
  return Object.fromEntries(members);
}

/** Where a node was drawn, as a member of ours; nothing where it was not. */
export function drawnAt(position: unknown): {
  readonly position?: { readonly x: number; readonly y: number };
} {
  const { x, y } = membersOf(position);
  return Number.isFinite(x) && Number.isFinite(y) ? { position: { x: x as number, y: y as number } } : {};
}
