// Filters as SQL conditions on `conversations`. Equalities also become terms of one common index
// (`conversations_terms_idx`). So any combination finds rare values through the index and common
// ones by scanning.
import type { Reach } from '@parley/server/http';
import { escapeLike } from '../../lists.ts';
import type { ConversationFilter } from './filters.ts';

/** A condition for the index of terms: matches conversations with any of these. */
export interface Term {
  readonly condition: string;
  readonly any: readonly string[];
}

/** Conditions with their values. `add` numbers the `?` of a condition. */
export interface Where {
  readonly values: unknown[];
  readonly conditions: string[];
  /** Conditions that the index in list order can start from: the organisation and the cursor. */
  readonly bounds: string[];
  readonly terms: readonly Term[];
  add(condition: string, ...given: unknown[]): void;
  /** Adds a condition that is also a bound. */
  bound(condition: string, ...given: unknown[]): void;
}

/** The expression of the index, verbatim. */
const TERMS =
  'conversation_terms(organization_id, status, channel, direction, from_address, to_address, language, end_reason, error_code, tags, metadata)';
/** Who called or was called; the expression of its index, verbatim. */
export const CALLER = 'caller_of(channel, direction, from_address, to_address, metadata)';
const SEPARATOR = String.fromCharCode(31);
/** Longer terms are not indexed: index entries are limited. */
const TERM_BYTES_MAX = 1_500;

/** Restricted to what `reach` may access. */
export function buildWhere({ organizationId, botIds }: Reach, filter: ConversationFilter): Where {
  const terms: Term[] = [];
  const bounds = ['organization_id = $1'];
  const where = createWhere({ values: [organizationId], conditions: [...bounds], bounds, terms });
  /** Adds a term for the condition that was added last. */
  const term = (name: string, ...possible: readonly string[]) => {
    const any = possible.map((value) => [organizationId, name, value].join(SEPARATOR));
    if (any.every((text) => Buffer.byteLength(text) <= TERM_BYTES_MAX))
      terms.push({ condition: where.conditions.at(-1)!, any });
  };
  const equal = (column: string, name: string, value: string | undefined) => {
    if (value === undefined) return;
    where.add(`${column} = ?`, value);
    term(name, value);
  };

  if (botIds !== undefined) where.add('bot_id = ANY(?::text[])', botIds);
  if (filter.bot_id !== undefined) where.add('bot_id = ?', filter.bot_id);
  if (filter.caller !== undefined) where.bound(`${CALLER} = ?`, filter.caller);
  if (filter.flow_id !== undefined) where.add('flow_id = ?', filter.flow_id);
  if (filter.flow_version !== undefined) where.add('flow_version = ?', filter.flow_version);
  equal('channel', 'channel', filter.channel);
  equal('direction', 'direction', filter.direction);
  equal('from_address', 'from', filter.from);
  equal('to_address', 'to', filter.to);
  equal('language', 'language', filter.language);
  for (const name of ['status', 'end_reason'] as const) {
    const possible = filter[name];
    if (!possible) continue;
    where.add(`${name} = ANY(?::text[])`, possible);
    term(name, ...possible);
  }
  for (const tag of filter.tags ?? []) {
    where.add('tags @> ARRAY[?::text]', tag);
    term('tag', tag);
  }
  for (const [key, value] of Object.entries(filter.metadata ?? {})) {
    where.add('metadata ->> ? = ?', key, value);
    term(`metadata.${key}`, value);
  }
  if (filter.has_error !== undefined) where.add(`error_code IS ${filter.has_error ? 'NOT' : ''} NULL`);
  if (filter.has_error === true) term('error', 'true');
  if (filter.error_code !== undefined) {
    where.add('error_code = ?', filter.error_code);
    term('error', 'true'); // few conversations have one
  }
  addRanges(where, filter);
  return where;
}

function addRanges(where: Where, filter: ConversationFilter): void {
  if (filter.duration_min !== undefined) where.add('duration_seconds >= ?', filter.duration_min);
  if (filter.duration_max !== undefined) where.add('duration_seconds <= ?', filter.duration_max);
  for (const name of ['started', 'ended', 'updated'] as const) {
    const [after, before] = [filter[`${name}_after`], filter[`${name}_before`]];
    if (after) where.add(`${name}_at >= ?`, after);
    if (before) where.add(`${name}_at < ?`, before);
  }
}

/** Returns a copy in which `terms` are also conditions on their index. */
export function withIndexTerms({ values, conditions, bounds, terms }: Where, indexTerms = terms): Where {
  const where = createWhere({
    values: [...values],
    conditions: [...conditions],
    bounds: [...bounds],
    terms: [],
  });
  for (const { any } of indexTerms) where.add(`${TERMS} && ?::text[]`, any);
  return where;
}

function createWhere(parts: Omit<Where, 'add' | 'bound'>): Where {
  const { values, conditions, bounds } = parts;
  const add = (condition: string, ...given: readonly unknown[]): string => {
    let at = values.length;
    const numbered = condition.replaceAll('?', () => `$${(at += 1)}`);
    values.push(...given);
    conditions.push(numbered);
    return numbered;
  };
  return {
    ...parts,
    add: (condition, ...given) => void add(condition, ...given),
    bound: (condition, ...given) => void bounds.push(add(condition, ...given)),
  };
}

/** Matches a part of the id, an address or a metadata value. Adds its values to `where`. */
export function buildNameMatch(where: Where, text: string): string {
  where.values.push(`%${escapeLike(text)}%`);
  const pattern = `$${where.values.length}`;
  const anyMatches = `(id ILIKE ${pattern} OR from_address ILIKE ${pattern} OR to_address ILIKE ${pattern}
    OR EXISTS (SELECT 1 FROM jsonb_each_text(metadata) AS entry WHERE entry.value ILIKE ${pattern}))`;
  // Testing the concatenation first halves the cost, as few rows match. Not for text that JSON
  // escapes.
  const concatenationMatches = `concat_ws(chr(31), id, from_address, to_address, metadata::text) ILIKE ${pattern}`;
  return /["\\\p{Cc}]/u.test(text) ? anyMatches : `(${concatenationMatches} AND ${anyMatches})`;
}
