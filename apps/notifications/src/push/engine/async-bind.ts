// A repair of Node 20, 22 and early releases of 24. node:http2 binds every request with `AsyncResource.bind`, which there gives the
// bound function a deprecated property (DEP0172) and makes two warning functions for it each time. V8 remembers their prototypes
// until its next full collection, and with them the request, its headers and its stream: a sixth of what a push costs. Node 25 has
// no such property any more, and 24 makes it without the prototypes now (nodejs/node pull requests 58618, 59195 and 59518).
import { AsyncResource } from 'node:async_hooks';

type Bind = (this: AsyncResource, fn: (...args: unknown[]) => unknown, thisArg?: unknown) => unknown;

/**
 * For the whole process: `AsyncResource.bind` without the deprecated property, and otherwise as it was. Does nothing where Node's
 * own does not make it. Called once, before the first push.
 */
export function mendAsyncBind(): void {
  const bound = new AsyncResource('mendAsyncBind').bind(() => undefined);
  if (!Object.hasOwn(bound, 'asyncResource')) return;
  const bind: Bind = function (fn, thisArg) {
    const run = this.runInAsyncScope.bind(this, fn);
    const bound = function (this: unknown, ...args: unknown[]) {
      return run(thisArg === undefined ? this : thisArg, ...args);
    };
    return Object.defineProperty(bound, 'length', { value: fn.length, configurable: true });
  };
  AsyncResource.prototype.bind = bind as typeof AsyncResource.prototype.bind;
}
