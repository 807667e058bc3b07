// The three dialects of answers (docs/platform.md#wire-conventions), one value each.
// libs/server/http adds nothing to them.
import { z } from 'zod';
import { codes, type Code } from './codes.ts';
import { PARAMETER_PLACES, type AppError, type FieldProblem } from './app-error.ts';
import { PAGE_LIMIT_MAX, type Page } from './page.ts';

/** What an answer may carry besides its data. */
export interface ReplyMeta {
  readonly requestId: string;
  /** When the answer was built, epoch milliseconds. */
  readonly nowMs: number;
}

/** An error as the caller may see it: an AppError without its cause, or a bug without anything. */
export interface ErrorBody {
  readonly code: Code;
  readonly message: string;
  readonly fields: readonly FieldProblem[];
  readonly details: Readonly<Record<string, unknown>>;
}

/** How one product spells success, failure, time and pages. */
export interface Dialect {
  readonly success: (data: unknown, meta: ReplyMeta) => unknown;
  readonly error: (refusal: ErrorBody, meta: ReplyMeta) => unknown;
  /** Spelling of a code in `error`. Absent: errors have only status and text. */
  readonly spellCode?: (code: Code) => string;
  readonly errorContentType: string;
  /** The JSON Schema source of a success body, for the OpenAPI description. */
  readonly successSchema: (data: z.ZodType) => z.ZodType;
  readonly errorSchema: z.ZodType;
  /** A time on the product's wire. */
  readonly time: (date: Date) => number | string;
  readonly timeSchema: z.ZodType<number | string>;
  /** A time in a request, in the same form. */
  readonly timeInput: z.ZodType<Date>;
  /** The same in a query, where everything is text. */
  readonly timeQuery: z.ZodType<Date>;
  readonly page: <Item>(page: Page<Item>) => Page<Item>;
  readonly pageSchema: (item: z.ZodType) => z.ZodType;
}

/** 9999-12-31: the limit of Postgres, JSON and every client. */
const EPOCH_SECONDS_MAX = 253_402_300_799;

const secondsToDate = (seconds: number) => new Date(Math.round(seconds * 1000));

/** `created_before=`: JavaScript converts a blank text to 0. */
const blankToUndefined = (text: unknown) =>
  typeof text === 'string' && text.trim() === '' ? undefined : text;

const epochSeconds = {
  time: (date: Date) => date.getTime() / 1000,
  timeSchema: z.number().describe('Epoch seconds, with milliseconds as a fraction'),
  timeInput: z.number().min(0).max(EPOCH_SECONDS_MAX).transform(secondsToDate).describe('Epoch seconds'),
  timeQuery: z
    .preprocess(blankToUndefined, z.coerce.number('must be epoch seconds').min(0).max(EPOCH_SECONDS_MAX))
    .transform(secondsToDate)
    .describe('Epoch seconds'),
};

const plainPage = {
  page: <Item>(page: Page<Item>) => page,
  pageSchema: (item: z.ZodType) =>
    z.strictObject({ items: z.array(item).max(PAGE_LIMIT_MAX), next_cursor: z.string().nullable() }),
};

/** What callers see of a bug: only that it happened. */
export const internalErrorBody: ErrorBody = {
  code: 'internal',
  message: 'The service failed to answer. Quote the request id when you report it.',
  fields: [],
  details: {},
};

/** The part of an AppError that may leave the service. */
export function toErrorBody(error: AppError): ErrorBody {
  return { code: error.code, message: error.message, fields: error.fields, details: error.details };
}

const fieldSchema = z.object({
  path: z
    .string()
    .describe(
      'JSON pointer: into the body, or of a parameter: `/query/limit`, `/path/id`, `/header/If-Match`',
    ),
  in: z.enum(PARAMETER_PLACES).optional().describe('Absent: the body'),
  message: z.string(),
  code: z.string().optional(),
});

/** Success is the bare resource; errors are RFC 9457 problems. */
export const flowBuilderDialect: Dialect = {
  ...epochSeconds,
  ...plainPage,
  success: (data) => data,
  error: (refusal, meta) => ({
    type: `urn:parley:problem:${refusal.code}`,
    title: codes[refusal.code].title,
    status: codes[refusal.code].status,
    detail: refusal.message,
    code: refusal.code,
    request_id: meta.requestId,
    errors: refusal.fields,
    ...refusal.details,
  }),
  spellCode: (code) => code,
  errorContentType: 'application/problem+json; charset=utf-8',
  successSchema: (data) => data,
  errorSchema: z
    .looseObject({
      type: z.string(),
      title: z.string(),
      status: z.int(),
      detail: z.string(),
      code: z.enum(Object.keys(codes)),
      request_id: z.string(),
      errors: z.array(fieldSchema),
    })
    .meta({
      id: 'Problem',
      description: 'RFC 9457 problem details. Some codes add a member, such as `validation`.',
    }),
};

const isoInput = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .describe('ISO 8601');

const voiceMeta = z
  .object({ request_id: z.string(), timestamp: z.iso.datetime() })
  .meta({ id: 'Meta', description: 'The request and the time of its answer.' });

/** Success and errors are in the envelope of the voice API (docs/voice-api.md#envelope). */
export const voiceApiDialect: Dialect = {
  time: (date) => date.toISOString(),
  timeSchema: z.iso.datetime().describe('ISO 8601, UTC'),
  timeInput: isoInput,
  timeQuery: isoInput,
  page: (page) => ({ ...page, has_more: page.next_cursor !== null }),
  pageSchema: (item) =>
    z.strictObject({
      items: z.array(item).max(PAGE_LIMIT_MAX),
      next_cursor: z.string().nullable(),
      has_more: z.boolean(),
    }),
  success: (data, meta) => ({ success: true, data, meta: toVoiceMeta(meta) }),
  error: (refusal, meta) => ({
    success: false,
    error: {
      code: toVoiceCode(refusal.code),
      message: refusal.message,
      details: refusal.fields.length > 0 ? { fields: refusal.fields, ...refusal.details } : refusal.details,
    },
    meta: toVoiceMeta(meta),
  }),
  spellCode: toVoiceCode,
  errorContentType: 'application/json; charset=utf-8',
  successSchema: (data) => z.object({ success: z.literal(true), data, meta: voiceMeta }),
  errorSchema: z
    .object({
      success: z.literal(false),
      error: z.object({
        code: z.enum([...new Set(Object.values(codes).map((row) => row.voice))]),
        message: z.string(),
        details: z.looseObject({ fields: z.array(fieldSchema).optional() }),
      }),
      meta: voiceMeta,
    })
    .meta({ id: 'ErrorEnvelope', description: 'The error envelope.' }),
};

function toVoiceCode(code: Code): string {
  return codes[code].voice;
}

function toVoiceMeta(meta: ReplyMeta) {
  return { request_id: meta.requestId, timestamp: new Date(meta.nowMs).toISOString() };
}

/**
 * Success is the bare resource; an error is one string with place and problem
 * (docs/notifications.md#errors).
 */
export const notificationsDialect: Dialect = {
  ...epochSeconds,
  ...plainPage,
  success: (data) => data,
  error: (refusal, meta) => ({ error: oneString(refusal, meta) }),
  errorContentType: 'application/json; charset=utf-8',
  successSchema: (data) => data,
  errorSchema: z
    .object({ error: z.string() })
    .meta({ id: 'Error', description: '`<path or subject>: <what is wrong and what is accepted>`' }),
};

function oneString(refusal: ErrorBody, meta: ReplyMeta): string {
  if (refusal.code === 'internal') return `internal error: ${refusal.message} (${meta.requestId})`;
  if (refusal.fields.length === 0) return refusal.message;
  return refusal.fields.map((field) => `${field.path || 'body'}: ${field.message}`).join('; ');
}
