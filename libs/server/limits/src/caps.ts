// Caps: how many of something an organisation may have at a time
// (docs/platform.md#plans-and-limits).
import { LRUCache } from 'lru-cache';
import { AppError, type Code } from '@parley/envelopes';
import { getCaps, type Cap, type Organization } from '@parley/server/organizations';
import type { Sql } from '@parley/server/postgres';
import type { Clock, ServiceName } from '@parley/server/runtime';

/** This many rows are counted in 1 or 2 ms; larger counts are cached for a moment. */
const CHEAP_ROWS = 10_000;
/** `used` of a larger cap is not reported: counting it would let callers keep the database busy. */
const REPORTED_ROWS = 100_000;
const MOMENT_MS = 1_000;
/** How long additions rely on an earlier count. */
const COUNT_TRUST_MS = 10_000;
/**
 * A process may fill this part of the counted room without a new count: ten replicas fill it
 * together.
 */
const ROOM_DIVISOR = 10;
const COUNTS_REMEMBERED = 50_000;

export interface Caps {
  /** The number that the organisation's plan allows. */
  of(organizationId: string, cap: Cap): Promise<number>;
  /** @throws AppError limit_exceeded when `used`, including the new one, exceeds the plan. */
  refuseBeyond(organizationId: string, cap: Cap, used: number): Promise<void>;
  /**
   * Call it after an addition, in the same transaction: an error undoes the addition. Near its end
   * transactions count a cap one after the other. Far from it a few counts serve many, which ten
   * replicas cannot exceed. `rows`: how many were added, 1 by default.
   * @throws AppError limit_exceeded, or `code`
   */
  added(sql: Sql, organizationId: string, cap: Cap, code?: Code, rows?: number): Promise<void>;
  /** Every cap of the service, and its use where counting is cheap. */
  read(sql: Sql, organization: Organization): Promise<{ caps: ByCap; used: ByCap }>;
}

type ByCap = Partial<Record<Cap, number>>;

interface Count {
  /** Rows at the count. */
  readonly rows: number;
  readonly atMs: number;
  /** Added here since. */
  since: number;
}

export interface CapsOptions {
  readonly service: ServiceName;
  readonly clock: Clock;
  /** The rows of a cap: a table and its condition; `$1` is the organisation. */
  readonly counted: Partial<Readonly<Record<Cap, string>>>;
  readonly organizationOf: (id: string) => Promise<Organization>;
}

export function createCaps({ service, clock, counted, organizationOf }: CapsOptions): Caps {
  const counts = new LRUCache<string, Count>({ max: COUNTS_REMEMBERED });

  async function of(organizationId: string, cap: Cap): Promise<number> {
    const number = getCaps(service, (await organizationOf(organizationId)).plan)[cap];
    if (number === undefined) throw new Error(`${service} has no cap "${cap}"`);
    return number;
  }

  async function count(sql: Sql, organizationId: string, cap: Cap, atMost: number): Promise<Count> {
    const [row] = await sql<{ rows: number }>(
      `SELECT count(*)::int AS rows FROM (SELECT 1 FROM ${counted[cap]} LIMIT $2::int) AS counted`,
      [organizationId, atMost],
    );
    const fresh = { rows: row!.rows, atMs: clock(), since: 0 };
    counts.set(buildKey(cap, organizationId), fresh);
    return fresh;
  }

  /** A count that is at most a moment old, for caps that take long to count. */
  function recent(organizationId: string, cap: Cap, number: number): Count | undefined {
    const known = counts.get(buildKey(cap, organizationId));
    return known && number > CHEAP_ROWS && clock() - known.atMs < MOMENT_MS ? known : undefined;
  }

  return {
    of,
    refuseBeyond: async (organizationId, cap, used) => {
      const number = await of(organizationId, cap);
      if (used > number) throw createRefusal('limit_exceeded', cap, number);
    },
    added: async (sql, organizationId, cap, code = 'limit_exceeded', added = 1) => {
      const number = await of(organizationId, cap);
      const known = counts.get(buildKey(cap, organizationId));
      if (known && clock() - known.atMs < COUNT_TRUST_MS) {
        const free = Math.floor((number - known.rows) / ROOM_DIVISOR);
        if (known.since + added <= free) return void (known.since += added);
      }
      if ((recent(organizationId, cap, number)?.rows ?? 0) > number) throw createRefusal(code, cap, number);
      await sql('SELECT pg_advisory_xact_lock(hashtextextended($1::text, 0))::text', [
        buildKey(cap, organizationId),
      ]);
      const { rows } = await count(sql, organizationId, cap, number + 1);
      if (rows > number) throw createRefusal(code, cap, number);
    },
    read: async (sql, { id, plan }) => {
      const caps = getCaps(service, plan);
      const used: ByCap = {};
      for (const cap of Object.keys(counted) as Cap[]) {
        const number = caps[cap]!;
        if (number > REPORTED_ROWS) continue;
        const { rows, since } = recent(id, cap, number) ?? (await count(sql, id, cap, number + 1));
        used[cap] = Math.min(rows + since, number);
      }
      return { caps, used };
    },
  };
}

function buildKey(cap: Cap, organizationId: string): string {
  return `cap ${cap} ${organizationId}`;
}

/** Also for an addition that is undone: `used` is the number afterwards. */
function createRefusal(code: Code, cap: Cap, number: number): AppError {
  return new AppError(code, `${cap}: the organisation has ${number}, the maximum of its plan`, {
    details: { limit: cap, used: number, of: number },
  });
}
