// Renders the text of a digest when its delivery is attempted. The digest is closed by then, so
// every attempt has the same text.
import type { Sql } from '@parley/server/postgres';
import type { Channel, Notice } from '../channels/channel.ts';
import type { SendOptions } from './send-options.ts';
import type { Deps } from '../deps.ts';
import { getTargetUser } from '../people/load-people.ts';
import { fillLinks, type LinkDeps } from '../people/message-links.ts';
import { findRecipients } from '../people/recipient.ts';
import { toTemplateRecipient } from '../people/template-recipient.ts';
import { TemplateProblem } from '../rendering/engine.ts';
import { chooseLocale } from '../rendering/render-template.ts';
import { loadPartials } from '../templates/load-partials.ts';
import { findTemplate } from '../templates/templates.ts';

/** Later sends open another digest. Also called when the notification is cancelled. */
export async function closeDigest(sql: Sql, organizationId: string, notificationId: string): Promise<void> {
  await sql('UPDATE digests SET fingerprint = NULL WHERE organization_id = $1 AND notification_id = $2', [
    organizationId,
    notificationId,
  ]);
}

export type RenderedDigest =
  | { readonly ok: true; readonly notice: Notice }
  | { readonly ok: false; readonly errorClass: string; readonly message: string };

/** Renders as many items as fit the channel; `count` is the number of all of them. */
export async function renderDigest(
  deps: LinkDeps & Pick<Deps, 'renderer'>,
  notice: Notice,
  channel: Channel,
  plain: unknown,
  { id, version, locale }: NonNullable<SendOptions['digest']>,
): Promise<RenderedDigest> {
  const { sql, renderer } = deps;
  await closeDigest(sql, notice.organizationId, notice.id);
  const rows = await sql<{ count: number; data: string }>(
    `SELECT count, data FROM digests JOIN digest_items ON digest_items.notification_id = digests.notification_id
     WHERE digests.notification_id = $1 AND organization_id = $2 ORDER BY position`,
    [notice.id, notice.organizationId],
  );
  const found = await findTemplate(sql, notice.organizationId, id, version);
  if (!found)
    return { ok: false, errorClass: 'template_gone', message: `There is no template "${id}" any more.` };
  const items = rows.map(({ data }) => JSON.parse(data) as Record<string, unknown>);
  const person = await loadPerson(deps, notice.organizationId, getTargetUser(plain));
  const owner = {
    organizationId: notice.organizationId,
    userId: getTargetUser(plain) ?? null,
    notificationId: notice.id,
    channel: channel.name,
  };
  /** As long as the message will be. */
  const writeOwnLinks = async (of: Notice): Promise<Notice> => ({
    ...of,
    message: await fillLinks(deps, owner, of.message),
  });
  let problem = 'The digest has no items.';
  for (let itemsMax = items.length; itemsMax >= 1; itemsMax = Math.floor(itemsMax / 2)) {
    const data = { ...person, ...digestData(items.slice(0, itemsMax), rows[0]!.count) };
    try {
      const name = chooseLocale(found.content, locale);
      const texts = found.content.locales[name]!;
      const partials = await loadPartials(sql, notice.organizationId, texts, name);
      const rendered = await renderer.render(notice.organizationId, texts, [channel.name], data, partials);
      const noticeWithTexts = { ...notice, ...rendered.byChannel.get(channel.name)! };
      if (!channel.fits || channel.fits(await writeOwnLinks(noticeWithTexts), plain))
        return { ok: true, notice: noticeWithTexts };
      problem = 'The digest is too long for the channel.';
    } catch (error) {
      if (!(error instanceof TemplateProblem)) throw error;
      problem = `The template: ${error.message}`;
    }
  }
  return { ok: false, errorClass: 'template_failed', message: problem };
}

async function loadPerson(
  deps: Pick<Deps, 'sql' | 'dataSealer'>,
  organizationId: string,
  user: string | undefined,
): Promise<object> {
  if (user === undefined) return {};
  const found = await findRecipients(deps, deps.sql, organizationId, [user]);
  return { recipient: toTemplateRecipient(user, found.get(user)) };
}

/** A digest's template sees the first send's data, `items` with all data, and `count`. */
export function digestData(items: readonly Readonly<Record<string, unknown>>[], count: number) {
  return { ...items[0], items, count };
}
