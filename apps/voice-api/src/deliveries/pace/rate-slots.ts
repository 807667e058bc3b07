// `rate_per_second` of a webhook (docs/voice-api.md#webhook-settings): Postgres assigns start times
// to attempts, so all workers together keep the rate.
import { setTimeout as delay } from 'node:timers/promises';
import type { Deps } from '../deps.ts';
import type { DeliveryEntry } from '../delivery-request.ts';

/** Slots reach this far ahead. Attempts beyond are deferred and take no slot. */
const AHEAD_MS = 1_000;
const BACK_MS_MIN = 1_000;
const BACK_MS_MAX = 60_000;

/**
 * Adds times (epoch) to the entries: when to begin or, without a near slot, when to come back.
 * Returning entries are spread at the rate.
 */
export async function assignSlots(
  { sql, clock }: Pick<Deps, 'sql' | 'clock'>,
  entries: readonly DeliveryEntry[],
): Promise<readonly DeliveryEntry[]> {
  const limited = new Map<string, DeliveryEntry[]>();
  for (const entry of entries) {
    const { webhook } = entry.to;
    if (entry.verdict !== 'send' || !webhook?.ratePerSecond) continue;
    const known = limited.get(webhook.id);
    if (known) known.push(entry);
    else limited.set(webhook.id, [entry]);
  }
  if (limited.size === 0) return entries;
  const times = new Map<DeliveryEntry, Partial<DeliveryEntry>>();
  for (const [id, waiting] of limited) {
    const { organizationId, ratePerSecond } = waiting[0]!.to.webhook!;
    const [granted] = await sql<{ slots: number; waitMs: number }>(TAKE_SLOTS, [
      organizationId,
      id,
      waiting.length,
      ratePerSecond,
    ]);
    if (!granted) continue; // removed just now: `attempt` finds no webhook, or a cached one
    const nowMs = clock();
    const apartMs = 1_000 / ratePerSecond!;
    waiting.forEach((entry, index) => {
      const inMs = Math.max(0, granted.waitMs) + index * apartMs;
      if (index < granted.slots) return times.set(entry, { startsAtMs: nowMs + inMs });
      const backMs = Math.min(Math.max(inMs, BACK_MS_MIN), BACK_MS_MAX);
      return times.set(entry, { receiver: null, backAtMs: Math.ceil(nowMs + backMs) });
    });
  }
  return entries.map((entry) => ({ ...entry, ...times.get(entry) }));
}

/** Waits for the slot of an entry. */
export async function waitForSlot(
  { clock }: Pick<Deps, 'clock'>,
  { startsAtMs }: DeliveryEntry,
): Promise<void> {
  const waitMs = (startsAtMs ?? 0) - clock();
  if (waitMs > 0) await delay(waitMs);
}

/** By the clock of Postgres: clocks of two workers may differ by more than a slot. */
const TAKE_SLOTS = `
  WITH place AS (
    SELECT id, greatest(next_slot_at, clock_timestamp()) AS start, rate FROM webhooks, (SELECT $4::float8 AS rate) AS given
    WHERE organization_id = $1 AND id = $2 FOR UPDATE OF webhooks
  ), granted AS (
    SELECT id, start, rate, greatest(0, least($3::int, floor(
      (${AHEAD_MS} - extract(epoch FROM start - clock_timestamp()) * 1000) * rate / 1000)))::int AS slots
    FROM place
  ), moved AS (
    UPDATE webhooks SET next_slot_at = granted.start + granted.slots / granted.rate * interval '1 second'
    FROM granted WHERE webhooks.id = granted.id AND granted.slots > 0
  )
  SELECT slots, (extract(epoch FROM start - clock_timestamp()) * 1000)::float8 AS "waitMs" FROM granted`;
