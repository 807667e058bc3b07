// The rows of callbacks: who is to be told once every channel of a notification has settled (docs/notifications.md#callbacks). Whatever
// settles a channel marks the row in its transaction; `tell-settled.ts` looks at marked rows.
import type { FieldProblem } from '@parley/envelopes';
import type { Sql } from '@parley/postgres';
import { callbackContext } from '@parley/sealed-columns';
import type { Notice } from '../channels/channel.ts';
import type { Deps } from '../deps.ts';

/** What cannot be said of `callback_url` without asking: it is signed, or it is not promised. */
export async function callbackProblems(
  { settings }: Pick<Deps, 'settings'>,
  organizationId: string,
  url: string | undefined,
): Promise<FieldProblem[]> {
  if (url === undefined || (await settings.stored(organizationId, 'webhook_secret')) !== undefined) return [];
  return [
    {
      path: '/callback_url',
      message: 'needs the webhook_secret of the organisation, with which it is signed',
    },
  ];
}

/** The address as it is kept. */
export function sealCallback(
  { dataSealer }: Pick<Deps, 'dataSealer'>,
  { organizationId, id }: Pick<Notice, 'organizationId' | 'id'>,
  url: string,
): Promise<string> {
  return dataSealer.seal(url, callbackContext({ organizationId, id }));
}

export interface NewCallback {
  /** The notification's. */
  readonly id: string;
  readonly sealed: string;
  /** Told of opens and clicks as well. */
  readonly tracked: boolean;
}

/** Looked at at once: a channel may be done in the accepting transaction. */
export async function writeCallbacks(
  sql: Sql,
  organizationId: string,
  lookAt: Date,
  callbacks: readonly NewCallback[],
): Promise<void> {
  if (callbacks.length === 0) return;
  await sql(
    `INSERT INTO notification_callbacks (id, organization_id, sealed, look_at, tracked)
     SELECT id, $1, sealed, $2, tracked
     FROM unnest($3::text[], $4::text[], $5::boolean[]) AS callback (id, sealed, tracked)`,
    [
      organizationId,
      lookAt,
      callbacks.map(({ id }) => id),
      callbacks.map(({ sealed }) => sealed),
      callbacks.map(({ tracked }) => tracked),
    ],
  );
}

/** In the transaction in which channels of these notifications settle, after their rows are written. That is told once. */
export async function markCallbacks(sql: Sql, now: Date, notificationIds: readonly string[]): Promise<void> {
  await sql(
    'UPDATE notification_callbacks SET look_at = $1 WHERE id = ANY($2::text[]) AND settled_told_at IS NULL',
    [now, notificationIds],
  );
}
