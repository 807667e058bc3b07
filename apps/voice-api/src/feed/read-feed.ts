// GET /v1/events: all webhook events, for clients that poll, or that missed deliveries.
import type { z } from 'zod';
import { AppError, problemIn } from '@parley/envelopes';
import {
  continuePosition,
  formatPosition,
  isCurrent,
  parsePosition,
  readSnapshot,
  type Epochs,
} from '@parley/server/event-streams';
import type { Caller, Reach } from '@parley/server/http';
import { countFitting, type Sql } from '@parley/server/postgres';
import { readRedaction, type Redaction } from '../retention/redaction.ts';
import type { EventBody } from '../retention/scrub.rules.ts';
import { redactEvents } from '../retention/scrubbed-turns.ts';
import type { Deps } from './deps.ts';
import { BEFORE_ALL, buildFeedPage, type FeedRow } from './feed-events.ts';
import { SEQUENCE, type feedQuery } from './schemas.ts';

/** After a notification, an older transaction may still be open: reads again after this time. */
const AGAIN_MS = 50;

interface Place {
  /** The epoch that issued it; undefined: this one. */
  readonly raisedAtMs?: number;
  readonly place: bigint;
  readonly sequence: number;
  readonly id: string;
}

/**
 * Orders by `sequence`, which only grows. Returns only events older than every open transaction, so
 * none can appear before a position later.
 * @throws AppError invalid_request for a position that the feed has not reached, position_outdated
 */
export async function readFeed(
  deps: Pick<Deps, 'sql' | 'clock' | 'feedWaits' | 'retentionRules'>,
  caller: Caller,
  { after, limit, wait }: z.output<typeof feedQuery>,
) {
  const untilMs = deps.clock() + wait * 1000;
  const leave = wait > 0 ? deps.feedWaits.enter() : undefined;
  try {
    for (let noticed = false; ;) {
      const redaction = await readRedaction(deps, caller);
      const page = await readPage(deps.sql, { ...caller, redaction }, parseAfter(after), limit);
      if (page.items.length > 0 || !leave || after === 'now') return page;
      const left = untilMs - deps.clock();
      if (left <= 0) return page;
      const woken = await deps.feedWaits.next(
        caller.organizationId,
        noticed ? Math.min(left, AGAIN_MS) : left,
      );
      if (woken === 'closed') return page;
      noticed = woken === 'notice';
    }
  } finally {
    leave?.();
  }
}

async function readPage(
  sql: Sql,
  { organizationId, botIds, redaction }: Reach & { readonly redaction: Redaction },
  after: Place | 'now',
  limit: number,
) {
  const { settled, next, epochs } = await readSnapshot(sql);
  if (after === 'now')
    return { items: [], next_after: formatSequence(epochs, beginAt(settled)), has_more: false };
  checkEpoch(epochs, after);
  if (after.place > next) {
    throw new AppError('invalid_request', 'the request is not valid', {
      fields: [problemIn('query', ['after'], 'must be a position of this feed')],
    });
  }
  const rows = await sql<FeedRow>(botIds ? OF_BOTS : OF_ORGANIZATION, [
    organizationId,
    String(after.place),
    after.id,
    String(settled),
    after.sequence,
    limit + 1,
    ...(botIds ? [botIds] : []),
  ]);
  const shown = rows.slice(0, countFitting(rows, limit));
  const last = shown.at(-1);
  // Bound keys skip events of other bots only once.
  const nextAfter = botIds && settled > after.place ? beginAt(settled) : after;
  const events = shown.map(({ body }) => ({
    organizationId,
    redaction,
    body: JSON.parse(body) as EventBody,
  }));
  const bodies = await redactEvents(sql, events);
  return {
    items: shown.map((row, at) => ({ sequence: formatSequence(epochs, row), ...bodies[at]! })),
    next_after: formatSequence(epochs, last ?? nextAfter),
    has_more: shown.length < rows.length,
  };
}

const OF_ORGANIZATION = buildFeedPage('AND organization_id = $1', '$6::int');
const OF_BOTS = buildFeedPage('AND organization_id = $1 AND bot_id = ANY($7::text[])', '$6::int');

/** @throws AppError position_outdated, with the position to go on from */
function checkEpoch(epochs: Epochs, after: Place): void {
  const { raisedAtMs, place: position } = after;
  if (raisedAtMs === undefined || isCurrent(epochs, { raisedAtMs, position })) return;
  const place = continuePosition(epochs, { raisedAtMs, position });
  const next = place === position ? after : beginAt(place);
  throw new AppError(
    'position_outdated',
    'The database was restored or failed over since this position. Go on from `next_after`: it skips nothing, but some events may come again under the same id.',
    { details: { next_after: formatSequence(epochs, next) } },
  );
}

function parseAfter(after: string | undefined): Place | 'now' {
  if (after === undefined) return beginAt(0n);
  if (after === 'now') return after;
  const [, text = '', sequence, id] = SEQUENCE.exec(after) ?? [];
  const { raisedAtMs, position } = parsePosition(text)!;
  if (id === undefined) return { ...beginAt(position), raisedAtMs };
  return { raisedAtMs, place: position, sequence: Number(sequence ?? 0), id };
}

/** Before every event of a transaction. */
const beginAt = (place: bigint): Place => ({ place, sequence: BEFORE_ALL, id: '' });

function formatSequence(epochs: Epochs, { place, sequence, id }: Place | FeedRow): string {
  const position = formatPosition(epochs, BigInt(place));
  return id === '' ? `${position}-` : `${position}-${sequence}-${id}`;
}
