// The rows of callbacks (docs/notifications.md#callbacks). A transaction that settles a channel
// marks the row; `send-callbacks.ts` reads marked rows.
import type { FieldProblem } from '@parley/envelopes';
import type { Sql } from '@parley/server/postgres';
import { callbackContext } from '@parley/server/sealed-columns';
import type { Notice } from '../channels/channel.ts';
import type { Deps } from '../deps.ts';

/** Refuses `callback_url` when the organisation has no secret to sign with. */
export async function callbackProblems(
  { settings }: Pick<Deps, 'settings'>,
  organizationId: string,
): Promise<FieldProblem[]> {
  if ((await settings.stored(organizationId, 'webhook_secret')) !== undefined) return [];
  return [
    {
      path: '/callback_url',
      message: 'needs the webhook_secret of the organisation, which signs the callback',
    },
  ];
}

/** Seals the address for its row. */
export function sealCallback(
  { dataSealer }: Pick<Deps, 'dataSealer'>,
  { organizationId, id }: Pick<Notice, 'organizationId' | 'id'>,
  url: string,
): Promise<string> {
  return dataSealer.seal(url, callbackContext({ organizationId, id }));
}

export interface NewCallback {
  /** Id of the notification. */
  readonly id: string;
  readonly sealed: string;
  /** Also receives opens and clicks. */
  readonly tracked: boolean;
}

/** The rows are due at once: a channel may settle in the accepting transaction. */
export async function writeCallbacks(
  sql: Sql,
  organizationId: string,
  lookAt: Date,
  callbacks: readonly NewCallback[],
): Promise<void> {
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
