import { describe, expect, test } from '@jest/globals';

import { AppError } from './app-error.ts';
import { codes, type Code } from './codes.ts';
import {
  internalErrorBody,
  flowBuilderDialect,
  notificationsDialect,
  toErrorBody,
  voiceApiDialect,
} from './dialects.ts';

const meta = { requestId: 'req_1', nowMs: Date.UTC(2026, 10, 20, 12) };
const dialects = { flowBuilderDialect, voiceApiDialect, notificationsDialect };
const refused = toErrorBody(
  new AppError('invalid_request', 'the body is invalid', {
    fields: [{ path: '/name', message: 'must be a string', code: 'invalid_type' }],
    details: { hint: 'see /docs' },
    cause: new Error('internal address 10.0.0.1'),
  }),
);

describe('success', () => {
  test('is the bare resource for flow-builder and notifications, the envelope for voice', () => {
    expect(flowBuilderDialect.success({ a: 1 }, meta)).toEqual({ a: 1 });
    expect(notificationsDialect.success({ a: 1 }, meta)).toEqual({ a: 1 });
    expect(voiceApiDialect.success({ a: 1 }, meta)).toEqual({
      success: true,
      data: { a: 1 },
      meta: { request_id: 'req_1', timestamp: '2026-11-20T12:00:00.000Z' },
    });
  });
});

describe('errors', () => {
  test('flow-builder answers a problem with every place', () => {
    expect(flowBuilderDialect.error(refused, meta)).toEqual({
      type: 'urn:parley:problem:invalid_request',
      title: 'Invalid request',
      status: 400,
      detail: 'the body is invalid',
      code: 'invalid_request',
      request_id: 'req_1',
      errors: [{ path: '/name', message: 'must be a string', code: 'invalid_type' }],
      hint: 'see /docs',
    });
  });

  test('voice answers the error envelope of its seed', () => {
    expect(voiceApiDialect.error(refused, meta)).toMatchObject({
      success: false,
      error: {
        code: 'INVALID_REQUEST',
        message: 'the body is invalid',
        details: { fields: [{ path: '/name' }], hint: 'see /docs' },
      },
    });
  });

  test('notifications answers one string that names the places', () => {
    expect(notificationsDialect.error(refused, meta)).toEqual({ error: '/name: must be a string' });
    expect(
      notificationsDialect.error(toErrorBody(new AppError('not_found', 'notification: no such id')), meta),
    ).toEqual({
      error: 'notification: no such id',
    });
  });

  test.each(Object.entries(dialects))(
    '%s answers its declared schema for every code and never shows a cause',
    (_, dialect) => {
      for (const code of Object.keys(codes) as Code[]) {
        const body = dialect.error({ ...refused, code }, meta);
        expect(dialect.errorSchema.safeParse(body).error).toBeUndefined();
        expect(JSON.stringify(body)).not.toContain('10.0.0.1');
      }
    },
  );

  test('a bug is answered with nothing but the request id', () => {
    expect(JSON.stringify(flowBuilderDialect.error(internalErrorBody, meta))).toContain('req_1');
    expect(notificationsDialect.error(internalErrorBody, meta)).toEqual({
      error: expect.stringContaining('req_1'),
    });
  });
});
