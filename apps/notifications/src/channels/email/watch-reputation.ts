// Alerts operators when too much mail of a day bounces or is reported as spam, before providers
// block the sender (docs/first-mails.md).
import { encodeTime } from 'ulid';
import { raise } from '@parley/platform/alerts';
import type { BaseDeps } from '../../base-deps.ts';
import type { SuppressionReason } from '../../people/suppression.rules.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Ids begin with their time, so primary keys find the rows of a day. */
const TIME_CHARS = 10;

interface Limit {
  readonly subject: string;
  readonly verb: string;
  /** Of the mails of a day. */
  readonly shareMax: number;
  /** Fewer say nothing about the sender. */
  readonly countMin: number;
}

/** Amazon SES reviews accounts above these shares; Gmail requires less than 0.1 % of spam. */
const LIMITS: Readonly<Partial<Record<SuppressionReason, Limit>>> = {
  hard_bounce: { subject: 'bounces', verb: 'bounced', shareMax: 0.05, countMin: 5 },
  complaint: { subject: 'complaints', verb: 'were reported as spam', shareMax: 0.001, countMin: 2 },
};

/** An address counts once, since it gets no mail afterwards. */
export async function watchReputation({ sql, clock }: Pick<BaseDeps, 'sql' | 'clock'>): Promise<void> {
  const since = encodeTime(clock() - DAY_MS, TIME_CHARS).toLowerCase();
  const counts = await sql<{ organization_id: string; reason: SuppressionReason; count: number }>(
    `SELECT organization_id, reason, count(*)::int AS count FROM suppressions
     WHERE id >= $1 AND source NOT IN ('link', 'api') GROUP BY organization_id, reason`,
    [`sup_${since}`],
  );
  const many = counts.filter(({ reason, count }) => count >= (LIMITS[reason]?.countMin ?? Infinity));
  if (many.length === 0) return;
  const mails = await sql<{ organization_id: string; count: number }>(
    `SELECT organization_id, count(*)::int AS count FROM deliveries
     WHERE id >= $1 AND channel = 'email' AND attempts > 0 AND organization_id = ANY($2::text[])
     GROUP BY organization_id`,
    [`dlv_${since}`, [...new Set(many.map((row) => row.organization_id))]],
  );
  const sent = new Map(mails.map((row) => [row.organization_id, row.count]));
  for (const { organization_id: organizationId, reason, count } of many) {
    const { subject, verb, shareMax } = LIMITS[reason]!;
    // Events may be about mails of earlier days.
    const share = count / Math.max(sent.get(organizationId) ?? 0, count);
    if (share <= shareMax) continue;
    const message = `${count} addresses of the last 24 hours ${verb}: ${percent(share)} of the mails, at most ${percent(shareMax)} are good. Providers block senders above that. See docs/first-mails.md.`;
    await raise(sql, organizationId, { kind: 'mail_reputation', subject, message });
  }
}

const percent = (share: number) => `${Number((share * 100).toPrecision(2))} %`;
