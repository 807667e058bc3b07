// Caps: how many of something an organisation may have at a time (docs/platform.md#plans-and-limits).
import { LRUCache } from 'lru-cache';
import { AppError, type Code } from '@parley/envelopes';
import { capsOf, type Cap, type Organization } from '@parley/organizations';
import type { Sql } from '@parley/postgres';
import type { Clock, ServiceName } from '@parley/runtime';

/** So many rows are counted in a millisecond or two; of more the count is remembered for a moment. */
const CHEAP_ROWS = 10_000;
/** `used` of a larger cap is not told: counting it would be a way to keep the database busy. */
const TOLD_ROWS = 100_000;
const MOMENT_MS = 1_000;
/** How long additions are let through on the strength of an earlier count. */
const ROOM_MS = 10_000;
/** Of the room that a count saw, a process may fill this part without counting again: ten replicas together fill it. */
const SHARE_OF_ROOM = 10;
const COUNTS_REMEMBERED = 50_000;

export interface Caps {
  /** How many the organisation's plan allows. */
  of(organizationId: string, cap: Cap): Promise<number>;
  /** @throws AppError limit_exceeded when `used`, the new one among them, are more than the plan allows. */
  refuseBeyond(organizationId: string, cap: Cap, used: number): Promise<void>;
  /**
   * Call it in the transaction that has added one, when it has: what it throws undoes that. Near its end a cap is counted by one
   * transaction after the other; far from it a few counts serve many, which ten replicas cannot overrun.
   * @throws AppError limit_exceeded, or `code`
   */
  added(sql: Sql, organizationId: string, cap: Cap, code?: Code): Promise<void>;
  /** Every cap of the service, and how much of it is used where that is cheap to tell. */
  read(sql: Sql, organization: Organization): Promise<{ caps: ByCap; used: ByCap }>;
}

type ByCap = Partial<Record<Cap, number>>;

interface Count {
  /** Rows that were there. */
  readonly rows: number;
  readonly atMs: number;
  /** Added here since. */
  since: number;
}

export interface CapsOptions {
  readonly service: ServiceName;
  readonly clock: Clock;
  /** The rows behind a cap: a table and its condition, `$1` being the organisation. */
  readonly counted: Partial<Readonly<Record<Cap, string>>>;
  readonly organizationOf: (id: string) => Promise<Organization>;
}

export function createCaps({ service, clock, counted, organizationOf }: CapsOptions): Caps {
  const counts = new LRUCache<string, Count>({ max: COUNTS_REMEMBERED });

  async function of(organizationId: string, cap: Cap): Promise<number> {
    const number = capsOf(service, (await organizationOf(organizationId)).plan)[cap];
    if (number === undefined) throw new Error(`${service} has no cap "${cap}"`);
    return number;
  }

  async function count(sql: Sql, organizationId: string, cap: Cap, atMost: number): Promise<Count> {
    const [row] = await sql<{ rows: number }>(
      `SELECT count(*)::int AS rows FROM (SELECT 1 FROM ${counted[cap]} LIMIT $2::int) AS counted`,
      [organizationId, atMost],
    );
    const fresh = { rows: row!.rows, atMs: clock(), since: 0 };
    counts.set(keyOf(cap, organizationId), fresh);
    return fresh;
  }

  /** A count that is at most a moment old, of what takes long to count. */
  function recent(organizationId: string, cap: Cap, number: number): Count | undefined {
    const known = counts.get(keyOf(cap, organizationId));
    return known && number > CHEAP_ROWS && clock() - known.atMs < MOMENT_MS ? known : undefined;
  }

  return {
    of,
    refuseBeyond: async (organizationId, cap, used) => {
      const number = await of(organizationId, cap);
      if (used > number) throw refusalOf('limit_exceeded', cap, number);
    },
    added: async (sql, organizationId, cap, code = 'limit_exceeded') => {
      const number = await of(organizationId, cap);
      const known = counts.get(keyOf(cap, organizationId));
      if (known && clock() - known.atMs < ROOM_MS) {
        const free = Math.floor((number - known.rows) / SHARE_OF_ROOM);
        if (known.since < free) return void (known.since += 1);
      }
      if ((recent(organizationId, cap, number)?.rows ?? 0) > number) throw refusalOf(code, cap, number);
      await sql('SELECT pg_advisory_xact_lock(hashtextextended($1::text, 0))::text', [
        keyOf(cap, organizationId),
      ]);
      const { rows } = await count(sql, organizationId, cap, number + 1);
      if (rows > number) throw refusalOf(code, cap, number);
    },
    read: async (sql, { id, plan }) => {
      const caps = capsOf(service, plan);
      const used: ByCap = {};
      for (const cap of Object.keys(counted) as Cap[]) {
        const number = caps[cap]!;
        if (number > TOLD_ROWS) continue;
        const { rows, since } = recent(id, cap, number) ?? (await count(sql, id, cap, number + 1));
        used[cap] = Math.min(rows + since, number);
      }
      return { caps, used };
    },
  };
}

function keyOf(cap: Cap, organizationId: string): string {
  return `cap ${cap} ${organizationId}`;
}

/** Also where the one that was added is undone: `used` says what is there then. */
function refusalOf(code: Code, cap: Cap, number: number): AppError {
  return new AppError(code, `${cap}: the organisation has ${number}, which is as many as its plan allows`, {
    details: { limit: cap, used: number, of: number },
  });
}
