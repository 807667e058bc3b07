// Exports conversations, oldest first; search results newest first, as in the list.
import { countFitting, type Sql } from '@parley/server/postgres';
import type { ConversationRow } from '../../conversations/conversation-rows.ts';
import { toConversationView } from '../../conversations/lists/conversation-view.ts';
import { NEWEST_FIRST, searchPage } from '../../conversations/lists/pages.ts';
import { withIndexTerms, buildWhere } from '../../conversations/lists/where.ts';
import { readTurnPage } from '../../conversations/read-transcripts.ts';
import { parseSearch } from '../../search-text/query.rules.ts';
import type { ExportRow } from '../export-rows.ts';
import { conversationFormats } from '../formats.rules.ts';
import { exportFilter } from '../schemas.ts';
import { resolveRedaction } from '../../retention/redaction.ts';
import { scrubTurns } from '../../retention/scrubbed-turns.ts';
import { scrubConversation } from '../../retention/scrub.rules.ts';
import { findDueParts, type EffectiveRules } from '../../retention/parts.rules.ts';
import { readRules, resolveRulesOfBot } from '../../retention/stored-rules.ts';
import { toReach, type ExportItem, type Source } from './source.ts';

/** Bytes of turns of one conversation; the transcript endpoint has the rest. */
const TURNS_BYTES_MAX = 4 * 1024 * 1024;

export const conversations: Source = {
  head: ({ format }) => conversationFormats[format].head,

  async next(sql, row, max) {
    const { q, ...filter } = exportFilter.parse(row.filter);
    const where = buildWhere(toReach(row), filter);
    where.bound('created_at <= ?', row.created_at);
    if (row.behind_at) {
      const compare = q === undefined ? '>' : '<';
      where.bound(`(created_at, id) ${compare} (?::timestamptz, ?::text)`, row.behind_at, row.behind_id);
    }
    if (q !== undefined) {
      const rules = await readRules(sql, row.organization_id);
      const search = {
        ...parseSearch(row.organization_id, q),
        redaction: resolveRedaction(rules, !row.scrubbed),
      };
      const { rows, last } = await searchPage(sql, where, NEWEST_FIRST, max, search);
      const shownCount = countFitting(rows, max);
      const items = rows.slice(0, shownCount).map(toItem);
      if (rows.length > shownCount || last === undefined) return { items, more: rows.length > shownCount };
      return { items, more: true, last: toItem(last) };
    }
    const { conditions, values } = withIndexTerms(where);
    const rows = await sql<Pick<ConversationRow, 'id' | 'created_at'>>(
      `SELECT id, created_at FROM conversations WHERE ${conditions.join(' AND ')} ORDER BY created_at, id LIMIT ${max}`,
      values,
    );
    return { items: rows.map(toItem), more: rows.length === max };
  },

  async *lines(sql, row, items, retentionDays) {
    const { needsTurns, line } = conversationFormats[row.format];
    const rows = await sql<ConversationRow>(
      'SELECT * FROM conversations WHERE organization_id = $1 AND id = ANY($2::text[])',
      [row.organization_id, items.map(({ id }) => id)],
    );
    const rules = await readRules(sql, row.organization_id);
    const redaction = resolveRedaction(rules, !row.scrubbed);
    const byId = new Map(
      rows.map((one) => {
        const effective = resolveRulesOfBot(rules, one.bot_id, retentionDays);
        return [one.id, withoutExpiring(one, effective, row.expires_at)];
      }),
    );
    for (const of of items) {
      const conversation = byId.get(of.id);
      if (!conversation) continue;
      const hasTurns = needsTurns && !conversation.removed['transcript'];
      const isScrubbed = redaction.hides(conversation.bot_id);
      const { turns, next } = hasTurns
        ? await readTurns(sql, row, of.id, isScrubbed)
        : { turns: null, next: null };
      const view = toConversationView(conversation);
      yield {
        of,
        line: line({ view: isScrubbed ? scrubConversation(view) : view, turns, isCut: next !== null }),
      };
    }
  },
};

function toItem({ id, created_at: at }: Pick<ConversationRow, 'id' | 'created_at'>): ExportItem {
  return { id, at, conversationId: id };
}

/** A file must not keep a text longer than its conversation does. */
function withoutExpiring(row: ConversationRow, rules: EffectiveRules, expiresAt: Date): ConversationRow {
  const stored = {
    at: row.started_at ?? row.created_at,
    isHeld: row.hold !== null,
    parts: ['transcript', 'recording'] as const,
  };
  const due = findDueParts(stored, rules, expiresAt.getTime());
  const [transcript, recording] = [due.get('transcript'), due.get('recording')];
  const removed = Object.fromEntries(
    [...due].map(([part, reason]) => [part, { at: expiresAt.toISOString(), reason }]),
  );
  return {
    ...row,
    ...(transcript === undefined ? {} : { summary: null, analysis: null }),
    ...(recording === undefined ? {} : { recording_url: null }),
    removed: { ...removed, ...row.removed },
  };
}

async function readTurns(
  sql: Sql,
  { organization_id: organizationId }: ExportRow,
  id: string,
  isScrubbed: boolean,
) {
  const page = await readTurnPage(sql, { organizationId, id }, null, TURNS_BYTES_MAX);
  if (!isScrubbed) return page;
  return { ...page, turns: await scrubTurns(sql, { organizationId, id }, page.turns) };
}
