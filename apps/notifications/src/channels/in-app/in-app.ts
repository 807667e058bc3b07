// The in_app channel: writes an inbox item in the transaction that accepts the notification, or
// when a scheduled send is due.
import type { Sql } from '@parley/server/postgres';
import { z } from 'zod';
import { callerId, storedId } from '../../callers/caller-id.ts';
import type { BaseDeps } from '../../base-deps.ts';
import { itemContent, type ItemContent } from '../../inbox-items/item-content.ts';
import { writeInAppItems } from '../../inbox-items/write-item.ts';
import type { AcceptedDelivery, Channel } from '../channel.ts';

const target = z
  .strictObject({
    user_id: callerId.optional().describe('Default: every user of the organisation'),
    ...itemContent,
  })
  .describe('In-app: all members are optional');
type Target = z.output<typeof target>;

/** Lenient, so that sends accepted by a release with other rules for links still work. */
const plan = z.object({
  user_id: storedId.nullable(),
  ...itemContent,
  url: z.string().optional(),
  icon: z.string().optional(),
  actions: z.custom<ItemContent['actions']>().optional(),
});

export const inApp: Channel<Target> = {
  name: 'in_app',
  target,
  targetOptional: true,
  queue: null,
  receiver: () => null,
  common: { plain: ['url', 'data', 'actions', 'icon'] },
  plan: async (_deps, _sql, _notice, { user_id: user = null, ...content }, { category }) => ({
    ok: true,
    plain: { user_id: user, ...(category ? { category: category.id } : {}), ...content },
  }),
  preview: async (_deps, _sql, notice, planned) => {
    const { user_id: user, ...content } = plan.parse(planned.plain);
    return { user_id: user, title: notice.subject, body: notice.message, ...content };
  },
  accept: write,
  afterCommit: (deps, organizationId) => deps.inboxBell.notify(organizationId),
  // Idempotent per notification, so an attempt may be repeated.
  send: async (deps, notice, delivery) => {
    await write(deps, deps.sql, [{ notice, plain: delivery.plain }]);
    deps.inboxBell.notify(notice.organizationId);
    return { kind: 'delivered' };
  },
};

async function write(deps: BaseDeps, sql: Sql, accepted: readonly AcceptedDelivery[]): Promise<void> {
  const items = accepted.map(({ notice, plain }) => {
    const { user_id: userId, ...content } = plan.parse(plain);
    const {
      organizationId,
      id: notificationId,
      subject: title,
      message: body,
      expiresAt,
      contentId,
    } = notice;
    const item = { organizationId, notificationId, userId, expiresAt };
    if (contentId) return { ...item, contentId, title: '', body: '', category: content.category };
    return { ...item, title, body, ...content };
  });
  await writeInAppItems(sql, items, deps.clock());
}
