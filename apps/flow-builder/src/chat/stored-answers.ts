// Stores results of models in a chat for a day, so that walking its history again queries no model
// twice (docs/openai.md#what-is-kept).
import { createHash } from 'node:crypto';
import { AppError } from '@parley/envelopes';
import type { ChatAnswer } from '@parley/store-flow-builder';
import type { Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import type { Answers } from '../walk/turn.ts';

const STORED_MS = 24 * 60 * 60 * 1000;
/** Results of one conversation: a few for each turn that a request can hold. */
const ANSWERS_MAX = 2_000;
const ANSWERS_BYTES_MAX = 4 * 1024 * 1024;
/** Rows that one round of housekeeping deletes: more than arrive in a minute. */
const DELETED_MAX = 10_000;

interface StoredChat {
  readonly organizationId: string;
  readonly flowId: string;
  /** Null = anonymous: another conversation may have begun with the same words. */
  readonly session: string | null;
  /** The classifier always answers the same, so that its answers are not stored. */
  readonly isLexical: boolean;
}

type AnswerDeps = Pick<Deps, 'sql' | 'dataSealer' | 'clock'>;

/**
 * Answers to the questions of a turn, by its number: stored results, else new ones, which it
 * stores.
 */
export function createStoredAnswers(
  deps: AnswerDeps,
  { organizationId, flowId, session: named, isLexical }: StoredChat,
  live: Answers,
): (turn: number) => Answers {
  const { sql, dataSealer, clock } = deps;
  if (named === null) return () => ({ ...live, runAgent: () => Promise.reject(sessionRequired()) });
  const session = named;
  let loading: Promise<StoredAnswers> | undefined;

  const buildContext = (turn: number, question: string) =>
    JSON.stringify(['chat answer', organizationId, session, turn, question]);

  async function ask<Answer>(turn: number, kind: string, asked: unknown, answer: () => Promise<Answer>) {
    const question = computeDigest([flowId, kind, asked]);
    const stored = await (loading ??= load(sql, organizationId, session));
    const known = stored.sealed.get(toKey(turn, question));
    const context = buildContext(turn, question);
    if (known !== undefined) return JSON.parse(await dataSealer.unseal(known, context)) as Answer;
    const sealed = await dataSealer.seal(JSON.stringify(await answer()), context);
    stored.bytes += sealed.length;
    if (stored.sealed.size >= ANSWERS_MAX || stored.bytes > ANSWERS_BYTES_MAX)
      throw new AppError(
        'conversation_too_large',
        'models returned more than a conversation may store; start another one',
      );
    // Of concurrent requests with the same question, the first result counts for both.
    const [row] = await sql<Pick<ChatAnswer, 'answer'>>(
      `INSERT INTO chat_answers (organization_id, session, turn, question, answer, expires_at)
       VALUES ($1, $2, $3::int, $4, $5, $6)
       ON CONFLICT (organization_id, session, turn, question) DO UPDATE SET question = EXCLUDED.question
       RETURNING answer`,
      [organizationId, session, turn, question, sealed, new Date(clock() + STORED_MS)],
    );
    stored.sealed.set(toKey(turn, question), row!.answer);
    return JSON.parse(await dataSealer.unseal(row!.answer, context)) as Answer;
  }

  return (turn) => ({
    classify: (question) =>
      isLexical ? live.classify(question) : ask(turn, 'classify', question, () => live.classify(question)),
    extract: (question) => ask(turn, 'extract', question, () => live.extract(question)),
    runAgent: (spec) => ask(turn, 'run_agent', spec, () => live.runAgent(spec)),
  });
}

/** An agent has effects: walking a history again must not repeat them. */
function sessionRequired(): AppError {
  return new AppError('invalid_request', 'the request is not valid', {
    fields: [
      {
        path: '/metadata/session_id',
        message: 'is needed, or another id of the call, where an agent of the flow runs in process',
      },
    ],
  });
}

interface StoredAnswers {
  readonly sealed: Map<string, string>;
  bytes: number;
}

async function load(sql: Sql, organizationId: string, session: string): Promise<StoredAnswers> {
  const rows = await sql<Pick<ChatAnswer, 'turn' | 'question' | 'answer'>>(
    `SELECT turn, question, answer FROM (
       SELECT turn, question, answer, sum(octet_length(answer)) OVER (ORDER BY turn, question) AS bytes
       FROM chat_answers WHERE organization_id = $1 AND session = $2
       ORDER BY turn, question LIMIT $3::int
     ) kept WHERE bytes <= $4::int`,
    [organizationId, session, ANSWERS_MAX, ANSWERS_BYTES_MAX],
  );
  return {
    sealed: new Map(rows.map(({ turn, question, answer }) => [toKey(turn, question), answer])),
    bytes: rows.reduce((sum, { answer }) => sum + answer.length, 0),
  };
}

const toKey = (turn: number, question: string) => `${turn} ${question}`;
const computeDigest = (value: unknown) =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url');

/** Deletes expired results. */
export async function deleteExpiredAnswers(sql: Sql, nowMs: number): Promise<void> {
  await sql(
    `DELETE FROM chat_answers WHERE ctid IN (
       SELECT ctid FROM chat_answers WHERE expires_at <= $1 ORDER BY expires_at LIMIT ${DELETED_MAX}
     )`,
    [new Date(nowMs)],
  );
}
