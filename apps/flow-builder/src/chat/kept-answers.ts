// What models answered in the turns of a chat, for a day: a history that is walked again asks nothing twice (docs/openai.md#what-is-kept).
import { createHash } from 'node:crypto';
import { AppError } from '@parley/envelopes';
import type { ChatAnswer } from '@parley/store-flow-builder';
import type { Sql } from '@parley/server/postgres';
import type { Deps } from '../deps.ts';
import type { Answers } from '../walk/turn.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;
/** Of one conversation: some for each of the turns that a request has room for. */
const ANSWERS_MAX = 2_000;
const ANSWERS_BYTES_MAX = 4 * 1024 * 1024;
/** Rows of one round of housekeeping: a minute has fewer. */
const FORGOTTEN_MAX = 10_000;

export interface Chat {
  readonly organizationId: string;
  readonly flowId: string;
  readonly session: string;
  /** Whether the session was named: else others may have begun with the same words. */
  readonly isNamed: boolean;
}

type KeptDeps = Pick<Deps, 'sql' | 'dataSealer' | 'clock' | 'gateways'>;

/** Answers to the questions of a turn, by its number: those that are kept, else new ones, which then are. */
export function keptAnswers(deps: KeptDeps, chat: Chat, live: Answers): (turn: number) => Answers {
  const { sql, dataSealer, clock, gateways } = deps;
  const { organizationId, session } = chat;
  let loading: Promise<Kept> | undefined;

  const contextOf = (turn: number, question: string) =>
    JSON.stringify(['chat answer', organizationId, session, turn, question]);

  async function ask<Answer>(turn: number, kind: string, asked: unknown, answer: () => Promise<Answer>) {
    const question = digestOf([chat.flowId, kind, asked]);
    const kept = await (loading ??= load(sql, chat));
    const known = kept.sealed.get(placeOf(turn, question));
    const context = contextOf(turn, question);
    if (known !== undefined) return JSON.parse(await dataSealer.unseal(known, context)) as Answer;
    const sealed = await dataSealer.seal(JSON.stringify(await answer()), context);
    kept.bytes += sealed.length;
    if (kept.sealed.size >= ANSWERS_MAX || kept.bytes > ANSWERS_BYTES_MAX)
      throw new AppError('conversation_too_large', 'models have answered too much in this conversation');
    // Of two requests that ask the same at the same time the first answer counts, for both.
    const [row] = await sql<Pick<ChatAnswer, 'answer'>>(
      `INSERT INTO chat_answers (organization_id, session, turn, question, answer, expires_at)
       VALUES ($1, $2, $3::int, $4, $5, $6)
       ON CONFLICT (organization_id, session, turn, question) DO UPDATE SET question = EXCLUDED.question
       RETURNING answer`,
      [organizationId, session, turn, question, sealed, new Date(clock() + KEPT_MS)],
    );
    kept.sealed.set(placeOf(turn, question), row!.answer);
    return JSON.parse(await dataSealer.unseal(row!.answer, context)) as Answer;
  }

  return (turn) => ({
    // Words that are compared with words give the same again.
    classify: (question) =>
      gateways.classifier.kind === 'lexical'
        ? live.classify(question)
        : ask(turn, 'classify', question, () => live.classify(question)),
    extract: (question) => ask(turn, 'extract', question, () => live.extract(question)),
    runAgent: (spec) => {
      if (!chat.isNamed) throw unnamed();
      return ask(turn, 'run_agent', spec, () => live.runAgent(spec));
    },
  });
}

/** An agent does something: what it came to for one caller is nothing for another who began with the same words. */
function unnamed(): AppError {
  return new AppError('invalid_request', 'the request is not valid', {
    fields: [
      {
        path: '/metadata/session_id',
        message: 'is needed, or `user`, where an agent of the flow runs in process',
      },
    ],
  });
}

interface Kept {
  readonly sealed: Map<string, string>;
  bytes: number;
}

async function load(sql: Sql, { organizationId, session }: Chat): Promise<Kept> {
  const rows = await sql<Pick<ChatAnswer, 'turn' | 'question' | 'answer'>>(
    `SELECT turn, question, answer FROM (
       SELECT turn, question, answer, sum(octet_length(answer)) OVER (ORDER BY turn, question) AS bytes
       FROM chat_answers WHERE organization_id = $1 AND session = $2
       ORDER BY turn, question LIMIT $3::int
     ) kept WHERE bytes <= $4::int`,
    [organizationId, session, ANSWERS_MAX, ANSWERS_BYTES_MAX],
  );
  return {
    sealed: new Map(rows.map(({ turn, question, answer }) => [placeOf(turn, question), answer])),
    bytes: rows.reduce((sum, { answer }) => sum + answer.length, 0),
  };
}

const placeOf = (turn: number, question: string) => `${turn} ${question}`;
const digestOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('base64url');

/** Removes what is older than a day. */
export async function forgetChatAnswers(sql: Sql, nowMs: number): Promise<void> {
  await sql(
    `DELETE FROM chat_answers WHERE ctid IN (
       SELECT ctid FROM chat_answers WHERE expires_at <= $1 ORDER BY expires_at LIMIT ${FORGOTTEN_MAX}
     )`,
    [new Date(nowMs)],
  );
}
