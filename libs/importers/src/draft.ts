// Collects a definition during an import, with the report on every node.
import { idProblem, limits, type AuthoredEdge, type AuthoredNode } from '@parley/flow-engine';
import { toMembers, toText, type Members } from './source.ts';

/**
 * mapped: equivalent. approximated: replaced, and `reason` names the difference. dropped: not
 * imported.
 */
export type Outcome = 'mapped' | 'approximated' | 'dropped';

/** The report on one node of the source (docs/importers.md#loss-report). */
export interface ReportEntry {
  /** JSON pointer (RFC 6901) into the document. */
  readonly pointer: string;
  readonly name: string;
  /** The source's name of the type. */
  readonly type: string;
  readonly outcome: Outcome;
  /** null when nothing differs. */
  readonly reason: string | null;
  /** The ids of the nodes that replace it. */
  readonly node_ids: readonly string[];
}

/** The result for one node. */
export interface NodeOutcome {
  readonly outcome: Outcome;
  readonly reason: string | null;
  readonly ids: readonly string[];
}

export const mapped = (...ids: readonly string[]): NodeOutcome => ({ outcome: 'mapped', reason: null, ids });
export const approximated = (reason: string, ...ids: readonly string[]): NodeOutcome => ({
  outcome: 'approximated',
  reason,
  ids,
});
/** Where the path led through it, an empty branch takes its place. */
export const dropped = (reason: string, ...ids: readonly string[]): NodeOutcome => ({
  outcome: 'dropped',
  reason,
  ids,
});

/** The flow would exceed the limit of nodes or edges. `importFlow` catches it. */
export class TooLarge extends Error {}

/** The condition of an edge. */
export type EdgeCondition = Partial<Omit<AuthoredEdge, 'source' | 'target'>>;

/** Characters of the examples of all edges: routes that pages share are an edge of each. */
const EXAMPLES_CHARS_MAX = 500_000;

/** Orders pointers as in the document. */
const byPointer = new Intl.Collator('en', { numeric: true });
const fallback: EdgeCondition = { default: true };

export class Draft {
  readonly nodes: AuthoredNode[] = [];
  readonly edges: AuthoredEdge[] = [];
  start: string | null = null;
  name: string | null = null;
  private language: string | null = null;
  private readonly entries: ReportEntry[] = [];
  private readonly taken = new Set<string>();
  /** Next suffix to try for an id. */
  private readonly counts = new Map<string, number>();
  /** Nodes with a shortened text. */
  private readonly cut = new Set<string>();
  /** By node: what else differs from the source. */
  private readonly notes = new Map<string, string>();
  private ending: string | null = null;
  private examplesLeft = EXAMPLES_CHARS_MAX;

  /** Makes a unique id that resembles the wanted name. */
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

  /** @param code BCP 47; others are left out */
  speak(code: unknown): void {
    const language = toText(code);
    if (/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/iu.test(language)) this.language = language;
  }

  /** Whether a text in that language belongs to the flow, which has one. */
  speaks(code: unknown): boolean {
    const [wanted] = toText(code).toLowerCase().split('-');
    return wanted === '' || this.language === null || wanted === this.language.toLowerCase().split('-')[0];
  }

  /** Adds a difference to the report of the node. */
  note(id: string, reason: string): void {
    this.notes.set(id, reason);
  }

  /** Without a condition it is the default edge. */
  join(source: string, target: string, condition: EdgeCondition = fallback): void {
    if (this.edges.length >= limits.edgesMax) throw new TooLarge(`more than ${limits.edgesMax} edges`);
    this.edges.push(this.within({ source, target, ...this.bounded(condition, source) }, source));
  }

  private bounded({ examples, ...condition }: EdgeCondition, source: string): EdgeCondition {
    if (examples === undefined) return condition;
    const length = (examples as readonly string[]).join('').length;
    if (length <= this.examplesLeft) {
      this.examplesLeft -= length;
      return { ...condition, examples };
    }
    this.note(
      source,
      `it has no examples: those of all branches are at most ${EXAMPLES_CHARS_MAX} characters`,
    );
    return condition;
  }

  /** Shortens texts to their limit. */
  private within<T>(value: T, nodeId: string): T {
    return cutTexts(value, () => this.cut.add(nodeId)) as T;
  }

  /** The shared node that ends the flow without a message. */
  end(): string {
    return (this.ending ??= this.add({ id: this.id('end'), type: 'end' }));
  }

  report(what: Pick<ReportEntry, 'pointer' | 'name' | 'type'>, { outcome, reason, ids }: NodeOutcome): void {
    this.entries.push({ ...what, outcome, reason, node_ids: ids });
  }

  finish(): { readonly definition: Members; readonly report: readonly ReportEntry[] } {
    const start = this.start ?? this.nodes[0]?.id ?? this.end();
    const { name, nodes, edges } = this;
    const report = this.entries
      .sort((a, b) => byPointer.compare(a.pointer, b.pointer))
      .map((entry): ReportEntry => {
        const notes = entry.node_ids.flatMap((id) => this.notes.get(id) ?? []);
        if (notes.length > 0)
          return { ...entry, outcome: 'approximated', reason: [entry.reason ?? [], notes].flat().join('; ') };
        if (entry.outcome !== 'mapped' || !entry.node_ids.some((id) => this.cut.has(id))) return entry;
        const reason = `a text was cut at ${limits.textCharsMax} characters`;
        return { ...entry, outcome: 'approximated', reason };
      });
    const language = this.language === null ? {} : { language: this.language };
    return { definition: { ...(name === null ? {} : { name }), ...language, start, nodes, edges }, report };
  }
}

function cutTexts(value: unknown, onCut: () => void): unknown {
  if (typeof value === 'string') {
    if (value.length <= limits.textCharsMax) return value;
    onCut();
    return value.slice(0, limits.textCharsMax);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((element) => cutTexts(element, onCut));
  const members = Object.entries(value).map(([name, member]) => [name, cutTexts(member, onCut)] as const);
  return Object.fromEntries(members);
}

/** The `ui` member with a node's position, if it has one. */
export function toPosition(position: unknown): {
  readonly position?: { readonly x: number; readonly y: number };
} {
  const { x, y } = toMembers(position);
  return Number.isFinite(x) && Number.isFinite(y) ? { position: { x: x as number, y: y as number } } : {};
}
