// The account of a drill: what was accepted, against what is there and what was reported. Pure.

const KINDS = ['talk', 'call', 'send'] as const;

export interface DrillItem {
  /** `talk`: turns of the flow builder. `call`: events of the voice API. `send`: a notification. */
  readonly kind: (typeof KINDS)[number];
  readonly id: string;
  readonly sentAtMs: number;
  readonly acceptedAtMs: number;
}

export interface Report {
  /** What it says: conversation, type and text, or the mark of a send. */
  readonly fact: string;
  /** By which a receiver drops repeats. */
  readonly messageId: string;
  readonly atMs: number;
}

export interface Facts {
  readonly items: readonly DrillItem[];
  /** Ids of items that the services still have. */
  readonly present: ReadonlySet<string>;
  readonly webhooks: readonly Report[];
  /** Ids of conversations whose end a reader of the feed got, by reader. */
  readonly readers: Readonly<Record<string, ReadonlySet<string>>>;
  /** When the servers were taken away. */
  readonly faultAtMs: number;
  /** Whether the item may be gone: it was accepted after the backup, or within the gap. */
  readonly mayLose: (item: DrillItem) => boolean;
}

export interface DrillAccount {
  readonly accepted: number;
  readonly lost: number;
  /** Present, and missed by the webhook or a reader of the feed. Always 0. */
  readonly neverReported: number;
  readonly twiceUnderOneId: number;
  /** Always 0. */
  readonly twiceUnderTwoIds: number;
  /** From the fault until an item of each kind, sent afterwards, arrived; null: never. */
  readonly seconds: number | null;
  readonly problems: readonly string[];
}

/** The fact that reports an item. */
export const factOf = ({ kind, id }: Pick<DrillItem, 'kind' | 'id'>): string =>
  kind === 'send' ? id : `${id}|conversation.ended|`;

export function accountForDrill(facts: Facts): DrillAccount {
  const { items, present, webhooks, readers, faultAtMs } = facts;
  const reported = new Map<string, Report[]>();
  for (const report of webhooks) reported.set(report.fact, [...(reported.get(report.fact) ?? []), report]);
  const lost = items.filter(({ id }) => !present.has(id));
  const silent = items
    .filter(({ id }) => present.has(id))
    .flatMap((item) => listSilent(item, reported, readers));
  const twoIds = [...reported].filter(([, all]) => new Set(all.map(({ messageId }) => messageId)).size > 1);
  const repeats = [...reported.values()].reduce((sum, all) => sum + all.length - 1, 0);
  const after = KINDS.map((kind) => {
    const sent = items.filter((item) => item.kind === kind && item.sentAtMs > faultAtMs);
    return Math.min(...sent.flatMap((item) => reported.get(factOf(item))?.map(({ atMs }) => atMs) ?? []));
  });
  const workedAtMs = Math.max(...after);
  return {
    accepted: items.length,
    lost: lost.length,
    neverReported: silent.length,
    twiceUnderOneId: repeats - twoIds.length,
    twiceUnderTwoIds: twoIds.length,
    seconds: workedAtMs === Infinity ? null : Math.round((workedAtMs - faultAtMs) / 100) / 10,
    problems: [
      ...silent,
      ...twoIds.map(([fact]) => `reported under two ids: ${fact}`),
      ...lost
        .filter((item) => !facts.mayLose(item))
        .map(({ kind, id }) => `lost without a reason: ${kind} ${id}`),
      ...(workedAtMs === Infinity ? ['not every kind of work went on'] : []),
    ],
  };
}

function listSilent(
  item: DrillItem,
  reported: ReadonlyMap<string, unknown>,
  readers: Facts['readers'],
): string[] {
  const silent = Object.entries(readers).flatMap(([name, ids]) =>
    item.kind === 'send' || ids.has(item.id) ? [] : [name],
  );
  if (!reported.has(factOf(item))) silent.unshift('webhook');
  return silent.length === 0 ? [] : [`never reported: ${item.kind} ${item.id} (${silent.join(', ')})`];
}
