import { describe, expect, test } from '@jest/globals';
import { isPostgresUnavailable, isRefusedValue } from './unavailable.ts';

/** Errors as observed; the live ones are in test/sql.int.test.ts. */
const error = (members: object, message = 'x') => Object.assign(new Error(message), members);

describe('Postgres is away', () => {
  test.each<[string, unknown]>([
    ['nobody listens', error({ code: 'ECONNREFUSED' })],
    ['the connection broke', error({ code: 'ECONNRESET' })],
    ['the host is unknown', error({ code: 'ENOTFOUND' })],
    [
      'no address of the host answered',
      new AggregateError([error({ code: 'ETIMEDOUT' }), error({ code: 'x' })]),
    ],
    ['connection failure', error({ code: '08006' })],
    ['too many connections', error({ code: '53300' })],
    ['terminated by an administrator', error({ code: '57P01' })],
    ['crashed', error({ code: '57P02' })],
    ['starting up', error({ code: '57P03' })],
    ['read-only during a fail-over', error({ code: '25006' })],
    ['the disk is full', error({ code: '53100' })],
    ['out of memory', error({ code: '53200' })],
    ['input or output failed', error({ code: '58030' })],
    ['the session was ended while it was idle', error({ code: '57P05' })],
    ['a lock was not to be had', error({ code: '55P03' })],
    ['a deadlock', error({ code: '40P01' })],
    ['a transaction that could not be serialised', error({ code: '40001' })],
    ['pg: the pool was ended', new Error('Cannot use a pool after calling end on the pool')],
    ['pg: the connection ended', new Error('Connection terminated unexpectedly')],
    ['pg: no connection to be had', new Error('timeout exceeded when trying to connect')],
    [
      'pg: used after it was lost',
      new Error('Client has encountered a connection error and is not queryable'),
    ],
    ['pg: no answer', new Error('Query read timeout')],
    ['as a cause', new Error('outer', { cause: error({ code: '57P01' }) })],
  ])('%s', (_what, away) => expect(isPostgresUnavailable(away)).toBe(true));
});

describe('anything else is not', () => {
  test.each<[string, unknown]>([
    ['a syntax error', error({ code: '42601' })],
    ['a unique violation', error({ code: '23505' })],
    ['a statement with too few values', error({ code: '08P01' })],
    ['a code that only looks alike', error({ code: '0800' })],
    ['a bug', new TypeError('x is not a function')],
    ['nothing', undefined],
    ['null', null],
    ['a text', 'Connection terminated'],
  ])('%s', (_what, other) => expect(isPostgresUnavailable(other)).toBe(false));

  test('a cyclic chain of causes ends', () => {
    const loop = new Error('loop');
    loop.cause = loop;
    expect(isPostgresUnavailable(loop)).toBe(false);
  });
});

test.each([
  ['22021', true],
  ['22003', true],
  ['54000', true],
  ['XX000', true],
  ['22012', false],
  ['XX001', false],
  ['42601', false],
  ['53100', false],
  ['2202', false],
])('%s is caused by a value: %s', (code, expected) => {
  expect(isRefusedValue(error({ code }))).toBe(expected);
  expect(isRefusedValue(undefined)).toBe(false);
});
