// What an answer looks like: the three dialects (docs/platform.md#wire-conventions), one value each. libs/http adds nothing to it.
import { z } from 'zod';
import { codes, type Code } from './codes.ts';
import { PARAMETER_PLACES, type AppError, type FieldProblem } from './app-error.ts';
import type { Page } from './page.ts';

/** What every answer may carry beside its data. */
export interface ReplyMeta {
  readonly requestId: string;
  /** When the answer was made, epoch milliseconds. */
  readonly nowMs: number;
}

/** A refusal as the caller may see it: an AppError without its cause, or a bug without anything. */
export interface Refusal {
  readonly code: Code;
  readonly message: string;
  readonly fields: readonly FieldProblem[];
  readonly details: Readonly<Record<string, unknown>>;
}

/** How one product spells success, failure, time and pages. */
export interface Dialect {
  readonly success: (data: unknown, meta: ReplyMeta) => unknown;
  readonly error: (refusal: Refusal, meta: ReplyMeta) => unknown;
  /** How a code is spelled in `error`; absent: it stands there by its status and its words only. */
  readonly codeOf?: (code: Code) => string;
  readonly errorContentType: string;
  /** The JSON Schema source of a success body, for the OpenAPI description. */
  readonly successSchema: (data: z.ZodType) => z.ZodType;
  readonly errorSchema: z.ZodType;
  /** A moment as the product puts it on the wire. */
  readonly time: (date: Date) => number | string;
  readonly timeSchema: z.ZodType<number | string>;
  /** A moment in a request, in the same form. */
  readonly timeInput: z.ZodType<Date>;
  /** The same in a query, where everything is text. */
  readonly timeQuery: z.ZodType<Date>;
  readonly page: <Item>(page: Page<Item>) => Page<Item>;
  readonly pageSchema: (item: z.ZodType) => z.ZodType;
}

/** 9999-12-31: what Postgres, JSON and every client can hold. */
const EPOCH_SECONDS_MAX = 253_402_300_799;

const secondsToDate = (seconds: number) => new Date(Math.round(seconds * 1000));

/** `created_before=`: JavaScript reads a blank text as the number 0. */
const nothingIfBlank = (text: unknown) => (typeof text === 'string' && text.trim() === '' ? undefined : text);

const epochSeconds = {
  time: (date: Date) => date.getTime() / 1000,
  timeSchema: z.number().describe('Epoch seconds, with a fraction of milliseconds'),
  timeInput: z.number().min(0).max(EPOCH_SECONDS_MAX).transform(secondsToDate).describe('Epoch seconds'),
  timeQuery: z
    .preprocess(nothingIfBlank, z.coerce.number('must be epoch seconds').min(0).max(EPOCH_SECONDS_MAX))
    .transform(secondsToDate)
    .describe('Epoch seconds'),
};

const plainPage = {
  page: <Item>(page: Page<Item>) => page,
  pageSchema: (item: z.ZodType) =>
    z.strictObject({ items: z.array(item), next_cursor: z.string().nullable() }),
};

/** What may be shown of an error that is not a refusal: nothing but that it happened. */
export const bareInternal: Refusal = {
  code: 'internal',
  message: 'The service failed to answer. Quote the request id when you report it.',
  fields: [],
  details: {},
};

/** The part of an AppError that may leave the service. */
export function refusalOf(error: AppError): Refusal {
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
  codeOf: (code) => code,
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

/** Success and errors both stand in the envelope of the voice API (docs/voice-api.md#envelope). */
export const voiceApiDialect: Dialect = {
  time: (date) => date.toISOString(),
  timeSchema: z.iso.datetime().describe('ISO 8601, UTC'),
  timeInput: isoInput,
  timeQuery: isoInput,
  page: (page) => ({ ...page, has_more: page.next_cursor !== null }),
  pageSchema: (item) =>
    z.strictObject({ items: z.array(item), next_cursor: z.string().nullable(), has_more: z.boolean() }),
  success: (data, meta) => ({ success: true, data, meta: voiceMetaOf(meta) }),
  error: (refusal, meta) => ({
    success: false,
    error: {
      code: voiceCodeOf(refusal.code),
      message: refusal.message,
      details: refusal.fields.length > 0 ? { fields: refusal.fields, ...refusal.details } : refusal.details,
    },
    meta: voiceMetaOf(meta),
  }),
  codeOf: voiceCodeOf,
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

function voiceCodeOf(code: Code): string {
  return codes[code].voice;
}

function voiceMetaOf(meta: ReplyMeta) {
  return { request_id: meta.requestId, timestamp: new Date(meta.nowMs).toISOString() };
}

/** Success is the bare resource; an error is one string that says where and what (docs/notifications.md#errors). */
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

function oneString(refusal: Refusal, meta: ReplyMeta): string {
  if (refusal.code === 'internal') return `internal error: ${refusal.message} (${meta.requestId})`;
  if (refusal.fields.length === 0) return refusal.message;
  return refusal.fields.map((field) => `${field.path || 'body'}: ${field.message}`).join('; ');
}
