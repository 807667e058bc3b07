import { describe, expect, test } from '@jest/globals';
import { hasScope, SCOPES, type Caller, type Scope } from './caller.ts';
import { requestContext } from './request-context.ts';

const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('X-Request-Id', () => {
  test.each(['a', 'A-b_c.9', 'x'.repeat(128)])('%s is accepted', (id) => {
    expect(requestContext({ 'x-request-id': id }).requestId).toBe(id);
  });

  test.each([undefined, '', 'a b', 'ä', 'a,b', 'a\nb', 'x'.repeat(129)])('%j is replaced', (id) => {
    const { requestId } = requestContext({ 'x-request-id': id });
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(requestContext({ 'x-request-id': id }).requestId).not.toBe(requestId);
  });
});

describe('traceparent', () => {
  test('a valid one is accepted', () =>
    expect(requestContext({ traceparent: TRACE }).traceparent).toBe(TRACE));

  test.each([
    undefined,
    'x',
    TRACE.toUpperCase(),
    `${TRACE}-extra`,
    TRACE.replace(/^00/, 'ff'),
    '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
  ])('%j is replaced by a valid one', (given) => {
    const { traceparent } = requestContext({ traceparent: given });
    expect(traceparent).not.toBe(given);
    expect(requestContext({ traceparent }).traceparent).toBe(traceparent);
  });
});

describe('scopes', () => {
  const caller = (...scopes: Scope[]): Caller => ({
    organizationId: 'acme',
    kind: 'api_key',
    principal: 'key_1',
    scopes: new Set(scopes),
  });

  test('are independent of each other', () => {
    for (const has of ['read', 'write', 'delete'] as const) {
      for (const needs of SCOPES) expect(hasScope(caller(has), needs)).toBe(has === needs);
    }
  });

  test('admin implies all but pii; none implies none', () => {
    for (const needs of SCOPES) {
      expect(hasScope(caller('admin'), needs)).toBe(needs !== 'pii');
      expect(hasScope(caller(), needs)).toBe(false);
    }
  });
});
