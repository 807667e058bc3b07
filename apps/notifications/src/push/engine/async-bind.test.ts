// The repaired `AsyncResource.bind` does what Node's does, except for the deprecated property.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { expect, test } from '@jest/globals';
import { mendAsyncBind } from './async-bind.ts';

mendAsyncBind();

const storage = new AsyncLocalStorage<string>();
const seen = function (this: unknown, a?: unknown, b?: unknown) {
  return [storage.getStore(), this, a, b];
};

test('a bound function runs in its resource, with its arguments and its this', () => {
  const bound = storage.run('inside', () => new AsyncResource('test').bind(seen));
  const self = { bound };
  expect(storage.run('outside', () => self.bound(1, 2))).toEqual(['inside', self, 1, 2]);
  expect(bound.length).toBe(seen.length);
});

test('a this of its own, and the static form', () => {
  const self = {};
  // The second parameter is Node's, though its types do not have it.
  const bind = AsyncResource.prototype.bind as (fn: typeof seen, thisArg: unknown) => typeof seen;
  const bound = storage.run('inside', () => bind.call(new AsyncResource('test'), seen, self));
  expect(bound.call(undefined, 1)).toEqual(['inside', self, 1, undefined]);
  const byClass = storage.run('inside', () => AsyncResource.bind(seen));
  expect(storage.run('outside', () => byClass(3))).toEqual(['inside', undefined, 3, undefined]);
});

test('without the property that keeps requests alive', () => {
  expect(Object.getOwnPropertyNames(new AsyncResource('test').bind(seen))).not.toContain('asyncResource');
});

test('mending twice changes nothing', () => {
  const { bind } = AsyncResource.prototype;
  mendAsyncBind();
  expect(AsyncResource.prototype.bind).toBe(bind);
});
