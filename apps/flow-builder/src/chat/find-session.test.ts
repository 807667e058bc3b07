import { expect, test } from '@jest/globals';
import { oneCalls } from '@parley/testing';
import { findSession } from './find-session.ts';

const messages = [{ role: 'user', content: 'hello' }];

test.each(oneCalls)('a chat has the id that the report of its call has: $call', ({ chat, header, id }) => {
  expect(findSession({ messages, ...chat }, header)).toBe(id);
});
