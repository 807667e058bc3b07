// What worker processes do with alerts: resolve those whose cause ended, and notify operators of
// new ones.
import type pg from 'pg';
import { inTransaction, sqlOf, type Sql } from '@parley/server/postgres';
import { type NotifyRequest } from '@parley/jobs';
import { alertKinds, type AlertKindName } from './alert-kinds.ts';
import { resolveEnded } from './alerts.ts';

export const TENDED_EVERY_MS = 5_000;
/** Alerts of one transaction; the rest is of the next round. */
const NOTIFIED_MAX = 50;
/** A cause that comes and goes sends this seldom. */
const NOTIFIED_AGAIN_AFTER = "interval '1 hour'";
/** RFC 5321 leaves less room for a subject than an id may have. */
const SUBJECT_CHARS_MAX = 255;

/** An alert that operators hear of now. */
export interface NotifiedAlert {
  readonly id: string;
  readonly openedAt: Date;
  readonly notice: OperatorNotice;
}

/** A message to operators, as a payload of `notification.send`. */
export type OperatorNotice = Pick<
  NotifyRequest,
  'organization_id' | 'channels' | 'target' | 'subject' | 'message'
>;

export interface TendOptions {
  readonly pool: pg.Pool;
  /** See `resolveEnded`. */
  readonly endings: Readonly<Partial<Record<AlertKindName, string>>>;
  /**
   * On the connection of the transaction that marks them as notified. May give what is to be done
   * after it.
   */
  readonly send: (sql: Sql, alerts: readonly NotifiedAlert[]) => Promise<(() => void) | void>;
}

export async function tendAlerts({ pool, endings, send }: TendOptions): Promise<void> {
  await resolveEnded(sqlOf(pool), endings);
  const after = await inTransaction(pool, async (sql) => {
    const rows = await sql<NewAlert>(NEW, [NOTIFIED_MAX]);
    return rows.length === 0
      ? undefined
      : send(
          sql,
          rows.map((row) => ({ id: row.id, openedAt: row.openedAt, notice: noticeOf(row) })),
        );
  });
  after?.();
}

interface NewAlert {
  readonly id: string;
  readonly openedAt: Date;
  readonly organizationId: string;
  readonly kind: AlertKindName;
  readonly subject: string;
  readonly message: string;
  readonly email: string | null;
}

/** Those that are open, and whose cause nobody was notified of a moment ago. */
const NEW = `
  WITH new AS (
    SELECT id FROM alerts AS alert
    WHERE notified_at IS NULL AND resolved_at IS NULL AND NOT EXISTS (
      SELECT 1 FROM alerts AS earlier
      WHERE earlier.organization_id = alert.organization_id AND earlier.kind = alert.kind
        AND earlier.subject = alert.subject AND earlier.notified_at > now() - ${NOTIFIED_AGAIN_AFTER})
    ORDER BY opened_at LIMIT $1 FOR UPDATE SKIP LOCKED)
  UPDATE alerts AS alert SET notified_at = now() FROM new WHERE alert.id = new.id
  RETURNING alert.id, opened_at AS "openedAt", alert.organization_id AS "organizationId", kind, subject, message,
    (SELECT alert_email FROM organizations WHERE organizations.id = alert.organization_id) AS email`;

function noticeOf({ organizationId, kind, subject, message, email }: NewAlert): OperatorNotice {
  const title = Object.hasOwn(alertKinds, kind) ? alertKinds[kind].title : kind;
  return {
    organization_id: organizationId,
    channels: email === null ? ['chat'] : ['email', 'chat'],
    target: { ...(email === null ? {} : { email }), chat: { audience: 'operators' } },
    subject: `${title}: ${subject}`.slice(0, SUBJECT_CHARS_MAX),
    message: `${message}\n\nGET /v1/alerts lists every alert. This one resolves when its cause is gone.`,
  };
}
