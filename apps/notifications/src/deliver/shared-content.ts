// Content that members of a topic share: stored once for the send and referenced by the members'
// rows (docs/notifications.md#topics). Members with the same language share a template's text.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { anyObject } from '@parley/envelopes';
import { inBatches, type Sql } from '@parley/server/postgres';
import { sharedContentContext } from '@parley/server/sealed-columns';
import { encodeTime } from 'ulid';
import type { Deps } from '../deps.ts';
import type { Channel, Notice, Planned } from '../channels/channel.ts';
import { HOURLY_LIMITS } from '../housekeeping.ts';
import { readSendOptions, addSendOptions } from './send-options.ts';

type Members = Readonly<Record<string, unknown>>;

export interface SharedContent {
  readonly id: string;
  readonly subject: string;
  readonly message: string;
  /** By channel: shared members of `plain` and of the sealed part. */
  readonly plans: Readonly<Record<string, Members>>;
  readonly sealed: Readonly<Record<string, Members>>;
}

/** The parts of a planned send that members may share. */
interface ShareableSend {
  readonly notice: Notice;
  readonly planned: readonly { readonly channel: Channel; readonly planned: Planned }[];
  readonly template: { readonly isPersonal: boolean } | undefined;
}

/**
 * Splits the sends into shared contents and each member's own part. A send whose texts name the
 * member shares nothing.
 */
export function shareContents<Send extends ShareableSend>(parentId: string, sends: readonly Send[]) {
  const split = sends.map((send) =>
    send.template?.isPersonal ? { content: null, rest: send } : splitSend(parentId, send),
  );
  const contents = new Map(split.flatMap(({ content }) => (content ? [[content.id, content]] : [])));
  return { sends: split.map(({ rest }) => rest), contents: [...contents.values()] };
}

function splitSend<Send extends ShareableSend>(parentId: string, send: Send) {
  const { subject, message } = send.notice;
  const plans: Record<string, Members> = {};
  const sealed: Record<string, Members> = {};
  const own = send.planned.map(({ channel, planned: { plain, sealed: secret } }) => {
    const common = channel.common ?? {};
    const [shared, rest] = splitMembers(plain as Members, common.plain ?? []);
    const { words, ...ofSend } = readSendOptions(plain);
    plans[channel.name] = { ...addSendOptions(shared, { words }) };
    const { of_send: _, ...bare } = rest;
    const result = { plain: addSendOptions(bare, ofSend) };
    if (secret === undefined || !common.sealed)
      return secret === undefined ? result : { ...result, sealed: secret };
    const [sharedSecret, ownSecret] = splitMembers(JSON.parse(secret) as Members, common.sealed);
    if (Object.keys(sharedSecret).length > 0) sealed[channel.name] = sharedSecret;
    return { ...result, sealed: JSON.stringify(ownSecret) };
  });
  const text = JSON.stringify([subject, message, plans, sealed]);
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, HASH_CHARS);
  // The id begins with the time, like notification ids: the primary key finds old rows.
  const id = `${parentId.slice(parentId.indexOf('_') + 1)}-${hash}`;
  const content: SharedContent = { id, subject, message, plans, sealed };
  const named = { subject: '', message: '', contentId: id, contentBytes: Buffer.byteLength(text) };
  const planned = send.planned.map((one, index) => ({ ...one, planned: own[index]! }));
  return { content, rest: { ...send, notice: { ...send.notice, ...named }, planned } };
}

/** 72 bits, unique within one send. */
const HASH_CHARS = 12;

function splitMembers(all: Members, names: readonly string[]): [shared: Members, own: Members] {
  const entries = Object.entries(all);
  const isShared = ([name]: [string, unknown]) => names.includes(name);
  return [
    Object.fromEntries(entries.filter(isShared)),
    Object.fromEntries(entries.filter((entry) => !isShared(entry))),
  ];
}

/** Runs in the transaction that writes the members' rows. */
export async function writeContents(
  { dataSealer }: Pick<Deps, 'dataSealer'>,
  sql: Sql,
  { organizationId, id: parentId }: { readonly organizationId: string; readonly id: string },
  contents: readonly SharedContent[],
): Promise<void> {
  const seal = async ({ id, sealed }: SharedContent) =>
    Object.keys(sealed).length === 0
      ? null
      : dataSealer.seal(JSON.stringify(sealed), sharedContentContext({ organizationId, id }));
  await sql(
    `INSERT INTO shared_contents (id, organization_id, notification_id, subject, message, plans, sealed)
     SELECT id, $1::text, $2::text, subject, message, plans::jsonb, sealed
     FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) AS content (id, subject, message, plans, sealed)
     ON CONFLICT (id) DO NOTHING`,
    [
      organizationId,
      parentId,
      contents.map(({ id }) => id),
      contents.map(({ subject }) => subject),
      contents.map(({ message }) => message),
      contents.map(({ plans }) => JSON.stringify(plans)),
      await Promise.all(contents.map(seal)),
    ],
  );
}

/** Restores the plan as its channel made it. */
export function mergePlan(own: unknown, shared: Members | null): unknown {
  if (shared === null) return own;
  return addSendOptions(
    { ...shared, ...(own as object) },
    { ...readSendOptions(shared), ...readSendOptions(own) },
  );
}

const sealedMembers = z.record(z.string(), anyObject);

/** Restores the sealed part of a delivery. */
export async function mergeSealed(
  { dataSealer }: Pick<Deps, 'dataSealer'>,
  own: string,
  row: { readonly organizationId: string; readonly contentId: string; readonly sharedSealed: string },
  channel: string,
): Promise<string> {
  const context = sharedContentContext({ organizationId: row.organizationId, id: row.contentId });
  const shared = sealedMembers.parse(JSON.parse(await dataSealer.unseal(row.sharedSealed, context)));
  return JSON.stringify({ ...shared[channel], ...(JSON.parse(own) as object) });
}

const DAY_MS = 24 * 60 * 60_000;
/** A step may wait for 30 days, and a delivery is attempted for one. */
const SLACK_DAYS = 32;

/** Hourly: drops sealed content once its send is done, and contents that no row references. */
export async function cleanContents(sql: Sql, nowMs: number, keptDays: number): Promise<void> {
  await inBatches(HOURLY_LIMITS, (limit) => sql(UNSEAL, [limit]));
  const oldest = encodeTime(nowMs - (keptDays + SLACK_DAYS) * DAY_MS, 10).toLowerCase();
  await inBatches(HOURLY_LIMITS, (limit) =>
    sql(
      `DELETE FROM shared_contents WHERE id IN (SELECT id FROM shared_contents WHERE id < $1 ORDER BY id LIMIT $2)
       RETURNING 1 AS one`,
      [oldest, limit],
    ),
  );
}

const UNSEAL = `
  UPDATE shared_contents SET sealed = NULL WHERE id IN (
    SELECT content.id FROM shared_contents AS content WHERE sealed IS NOT NULL
      AND NOT EXISTS (SELECT FROM topic_sends WHERE topic_sends.id = content.notification_id AND outcome IS NULL)
      AND NOT EXISTS (
        SELECT FROM notifications AS member JOIN deliveries ON deliveries.notification_id = member.id
        WHERE member.organization_id = content.organization_id AND member.parent_id = content.notification_id
          AND (next_ring_at IS NOT NULL OR leased_until IS NOT NULL))
    LIMIT $1)
  RETURNING 1 AS one`;
