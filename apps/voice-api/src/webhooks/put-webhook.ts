// PUT /v1/webhooks/{webhook_id}: creates or replaces a webhook by an id of the organisation
// (docs/declare.md).
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '@parley/envelopes';
import { createOrReplace, Reply, type Caller } from '@parley/server/http';
import type { Sql } from '@parley/server/postgres';
import { webhookContext } from '@parley/server/sealed-columns';
import type { Deps } from './deps.ts';
import { applyChange, lookUpWebhook, registerWebhook } from './manage-webhooks.ts';
import { rotateSecret } from './rotate-secret.ts';
import { toLowerCaseNames } from './save-settings.ts';
import { GRACE_SECONDS_DEFAULT, type NewWebhook, type WebhookChange } from './schemas.ts';
import { toWebhookView, type WebhookRow } from './webhook-views.ts';

type PutDeps = Pick<
  Deps,
  'clock' | 'dataSealer' | 'ids' | 'limits' | 'outbound' | 'retentionRules' | 'transact' | 'webhookCache'
>;

/**
 * Absent members get their defaults. Without `secret` that of the webhook stays; another one is
 * rotated. The status stays, since failures change it too.
 * @throws AppError invalid_request, not_found, conflict, unprocessable
 */
export async function putWebhook(
  deps: PutDeps,
  caller: Caller,
  webhookId: string,
  input: NewWebhook,
): Promise<Reply> {
  const { organizationId } = caller;
  const replaced: string[] = [];
  const reply = await deps.transact((sql) =>
    createOrReplace(
      sql,
      { organizationId, prefix: 'wh', id: webhookId },
      {
        find: () => lookUpWebhook(sql, caller, webhookId, 'FOR UPDATE'),
        create: () => registerWebhook(deps, caller, input, { sql }, webhookId),
        replace: (before) => {
          replaced.push(before.id);
          return replaceWebhook(deps, sql, caller, { before, input });
        },
      },
    ),
  );
  for (const id of replaced) deps.webhookCache.drop(id);
  return reply;
}

async function replaceWebhook(
  deps: PutDeps,
  sql: Sql,
  caller: Caller,
  { before, input }: { readonly before: WebhookRow; readonly input: NewWebhook },
): Promise<Reply> {
  if ((input.application_id ?? null) !== before.applicationId)
    throw new AppError(
      'conflict',
      `The application of a webhook cannot change from ${JSON.stringify(before.applicationId)}. Delete the webhook first.`,
    );
  const unseal = (sealed: string) => deps.dataSealer.unseal(sealed, webhookContext(before));
  const headers = before.headers === null ? null : (JSON.parse(await unseal(before.headers)) as object);
  const change = toChange(before, headers, input);
  const row =
    Object.keys(change).length === 0 ? before : await applyChange(deps, sql, caller, { before, change });
  if (input.secret === undefined || input.secret === (await unseal(before.secret)))
    return new Reply(toWebhookView(row, deps.clock()), { status: 200 });
  const rotation = { secret: input.secret, grace_seconds: GRACE_SECONDS_DEFAULT };
  const { secret: _, ...view } = await rotateSecret(deps, caller, before.id, rotation, {
    sql,
    afterCommit: () => undefined, // putWebhook drops the cached webhook
  });
  return new Reply(view, { status: 200 });
}

/** The members that differ. */
function toChange(before: WebhookRow, headers: object | null, input: NewWebhook): WebhookChange {
  const given = input.headers && Object.keys(input.headers).length > 0 ? input.headers : null;
  const differs = (one: unknown, other: unknown) => !isDeepStrictEqual(one, other);
  const members = {
    url: [input.url, before.url],
    events: [input.events, before.events],
    filter: [input.filter ?? null, before.filter],
    description: [input.description ?? null, before.description],
    bot_ids: [input.bot_ids ?? [], before.botIds],
    timeout_ms: [input.timeout_ms ?? null, before.timeoutMs],
    rate_per_second: [input.rate_per_second ?? null, before.ratePerSecond],
    ordered: [input.ordered ?? false, before.ordered],
    disable: [input.disable ?? 'after_failures', before.disable],
    asymmetric: [input.asymmetric ?? false, before.publicKey !== null],
  };
  const changed = Object.entries(members).filter(([, [wanted, stored]]) => differs(wanted, stored));
  const change: WebhookChange = Object.fromEntries(changed.map(([name, [wanted]]) => [name, wanted]));
  // With another address the headers are given again, since they would be removed.
  const isMoved = change.url !== undefined && given !== null;
  return isMoved || differs(given && toLowerCaseNames(given), headers)
    ? { ...change, headers: given }
    : change;
}
