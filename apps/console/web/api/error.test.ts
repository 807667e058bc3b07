import { expect, test } from '@jest/globals';
import { ApiError } from './error.ts';

test.each([
  [
    'the flow builder',
    {
      type: 't',
      code: 'invalid_request',
      detail: 'wrong',
      errors: [{ path: '/name', message: 'is too long' }],
    },
    { code: 'invalid_request', message: 'wrong', fields: [{ path: '/name', message: 'is too long' }] },
  ],
  [
    'the voice API',
    { success: false, error: { code: 'NOT_FOUND', message: 'not found', details: {} }, meta: {} },
    { code: 'not_found', message: 'not found', fields: [] },
  ],
  [
    'notifications',
    { error: 'target.email: is required' },
    { code: 'http_422', message: 'target.email: is required', fields: [] },
  ],
  [
    'the console',
    { error: 'You are not signed in.', code: 'not_signed_in' },
    { code: 'not_signed_in', message: 'You are not signed in.', fields: [] },
  ],
  ['a proxy between', '<html>', { code: 'http_422', message: 'The service answered 422.', fields: [] }],
])('reads an error response of %s', (_service, body, expected) => {
  const { code, message, fields, status, requestId } = new ApiError(422, 'req_1', body);
  expect({ code, message, fields, status, requestId }).toEqual({
    ...expected,
    status: 422,
    requestId: 'req_1',
  });
});
