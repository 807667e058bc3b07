import { describe, expect, test } from '@jest/globals';
import { findRefusal, authenticateOperator } from './operator-access.ts';

const passwords = { operator: 'correct horse battery', viewer: 'staple of the viewers' };
const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

describe('roleOf', () => {
  test.each([
    [basic('operator', passwords.operator), 'operator'],
    [basic('viewer', passwords.viewer), 'viewer'],
    [basic('viewer', passwords.operator), undefined],
    [basic('operator', passwords.viewer), undefined],
    [basic('operator', ''), undefined],
    [basic('operator', 'correct horse battery '), undefined],
    [basic('', passwords.operator), undefined],
    ['Basic !', undefined],
    ['Bearer x', undefined],
    [undefined, undefined],
  ])('%s is %s', (header, role) => {
    expect(authenticateOperator(header, passwords)).toBe(role);
  });

  test('a role without a password, or with one that can be guessed, has no way in', () => {
    expect(authenticateOperator(basic('viewer', ''), { operator: passwords.operator })).toBeUndefined();
    expect(authenticateOperator(basic('operator', ''), { operator: '' })).toBeUndefined();
    expect(authenticateOperator(basic('operator', 'short'), { operator: 'short' })).toBeUndefined();
  });

  test('a password may hold a colon and letters of any alphabet', () => {
    const operator = 'doppel:punkt:größe:ключ';
    expect(authenticateOperator(basic('operator', operator), { operator })).toBe('operator');
  });
});

describe('refusalOf', () => {
  const retry = {
    method: 'PUT',
    path: '/api/queues/email-jobs/a-1-0/retry',
    headers: { host: 'queues.test' },
  };

  test('a viewer reads and changes nothing', () => {
    expect(findRefusal('viewer', { ...retry, method: 'GET' })).toBeUndefined();
    expect(findRefusal('viewer', retry)).toBe('read_only');
  });

  test.each([
    ['PUT', '/api/queues/email-jobs/a-1-0/retry'],
    ['PUT', '/api/queues/email-jobs/a-1-0/promote'],
    ['PUT', '/api/queues/email-jobs/a-1-0/clean'],
    ['PUT', '/api/queues/email-jobs/retry/failed'],
    ['PUT', '/api/queues/email-jobs/clean/failed'],
    ['PUT', '/api/queues/email-jobs/pause'],
    ['PUT', '/api/queues/pause'],
  ])('an operator may %s %s', (method, path) => {
    expect(findRefusal('operator', { ...retry, method, path })).toBeUndefined();
  });

  test.each([
    ['POST', '/api/queues/email-jobs/add'],
    ['PATCH', '/api/queues/email-jobs/a-1-0/update-data'],
    ['PUT', '/api/queues/email-jobs/obliterate'],
    ['PUT', '/api/queues/email-jobs/empty'],
    ['PUT', '/api/queues/email-jobs/clean/waiting'],
    ['PUT', '/api/queues/email-jobs/concurrency'],
    ['DELETE', '/api/queues/email-jobs/a-1-0'],
  ])('nobody may %s %s: jobs are not made or lost by hand', (method, path) => {
    expect(findRefusal('operator', { ...retry, method, path })).toBe('not_offered');
  });

  test.each([
    [{ 'sec-fetch-site': 'same-origin' }, undefined],
    [{ 'sec-fetch-site': 'cross-site' }, 'other_site'],
    [{ 'sec-fetch-site': 'same-site' }, 'other_site'],
    [{ origin: 'https://queues.test' }, undefined],
    [{ origin: 'https://elsewhere.test' }, 'other_site'],
    [{ origin: 'null' }, 'other_site'],
    [{}, undefined], // curl
  ])('a change asked for with %j is refused as %s', (headers, refusal) => {
    expect(findRefusal('operator', { ...retry, headers: { ...retry.headers, ...headers } })).toBe(refusal);
  });
});
