// The words of a digest, made when its delivery is attempted: by then nothing joins it any more, so they are the same at every attempt.
import type { Sql } from '@parley/postgres';
import type { Channel, Notice } from '../channels/channel.ts';
import type { OfSend } from '../notify/delivery-plan.ts';
import type { Deps } from '../deps.ts';
import { TemplateProblem } from '../templates/engine.ts';
import { localeOf } from '../templates/render-template.ts';
import { findVersion } from '../templates/templates.ts';

/** Closes it: who sends from then on begins another. Also when its notification is cancelled. */
export async function closeDigest(sql: Sql, organizationId: string, notificationId: string): Promise<void> {
  await sql('UPDATE digests SET fingerprint = NULL WHERE organization_id = $1 AND notification_id = $2', [
    organizationId,
    notificationId,
  ]);
}

export type Said =
  | { readonly ok: true; readonly notice: Notice }
  | { readonly ok: false; readonly errorClass: string; readonly message: string };

/** With as many of its items as fit into what the channel can send; `count` is how many there were. */
export async function sayDigest(
  { sql, renderer }: Pick<Deps, 'sql' | 'renderer'>,
  notice: Notice,
  channel: Channel,
  plain: unknown,
  { id, version, locale }: NonNullable<OfSend['digest']>,
): Promise<Said> {
  await closeDigest(sql, notice.organizationId, notice.id);
  const rows = await sql<{ count: number; data: string }>(
    `SELECT count, data FROM digests JOIN digest_items ON digest_items.notification_id = digests.notification_id
     WHERE digests.notification_id = $1 AND organization_id = $2 ORDER BY position`,
    [notice.id, notice.organizationId],
  );
  const found = await findVersion(sql, notice.organizationId, id, version, { draft: true });
  if (!found)
    return { ok: false, errorClass: 'template_gone', message: `There is no template "${id}" any more.` };
  const items = rows.map(({ data }) => JSON.parse(data) as Record<string, unknown>);
  let problem = 'There is nothing in it.';
  for (let kept = items.length; kept >= 1; kept = Math.floor(kept / 2)) {
    const data = digestData(items.slice(0, kept), rows[0]!.count);
    try {
      const words = found.content.locales[localeOf(found.content, locale)]!;
      const rendered = await renderer.render(notice.organizationId, words, [channel.name], data);
      const said = { ...notice, ...rendered.byChannel.get(channel.name)! };
      if (channel.fits?.(said, plain) ?? true) return { ok: true, notice: said };
      problem = 'It is too long for the channel.';
    } catch (error) {
      if (!(error instanceof TemplateProblem)) throw error;
      problem = `The template: ${error.message}`;
    }
  }
  return { ok: false, errorClass: 'template_failed', message: problem };
}

/** What a template of a digest may name: the data of its first send, `items` with that of each, and `count`. */
export function digestData(items: readonly Readonly<Record<string, unknown>>[], count: number) {
  return { ...items[0], items, count };
}
