// The seam for limits: who may be served now. Whoever has limits hands in a `Limit` (libs/limits is one, libs/http knows none); an
// app without one pays nothing.
import type { Response } from 'express';
import type { Caller } from './caller.ts';
import type { Endpoint } from './endpoint.ts';

/** A request that may be served. */
export interface Admission {
  /** Headers of its answer, whatever the answer is; an answer's own headers win. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called once: just before the answer is sent, when a stream opens, or when the client went away. Must not throw. */
  readonly release?: () => void;
}

type Limited = Pick<Endpoint, 'limitClass'>;

export interface Limit {
  /** The admission of a caller who is known to have no limit: nothing is waited for. */
  peek(caller: Caller, endpoint: Limited): Admission | undefined;
  /** @throws AppError that carries the headers of the answer and Retry-After. */
  admit(caller: Caller, endpoint: Limited): Promise<Admission>;
  /**
   * Counts what a use case does beside the request itself, such as sends to people: all of `count` or nothing.
   * @param beside the headers of the request's admission
   * @returns the headers of the answer
   * @throws AppError as `admit` does
   */
  charge(caller: Caller, count: number, beside: Admission['headers']): Promise<Admission['headers']>;
  /** Of an endpoint that `stores`: `bytes` of its body. @throws AppError storage_full */
  store?(caller: Caller, bytes: number): Promise<void>;
}

/** `Limit.charge` for the request that is being served; without limits it does nothing. */
export type Charge = (count: number) => Promise<void>;

/** `admission` with a `release` that is called exactly once, and also when the client goes away before the answer. */
export function held(admission: Admission, response: Response): Admission {
  const { headers, release } = admission;
  if (!release) return admission;
  let open = true;
  const once = () => {
    if (!open) return;
    open = false;
    release();
  };
  // The client may have gone while we asked: its `close` is not emitted again.
  if (response.closed || response.destroyed || response.socket?.destroyed) once();
  else response.once('close', once);
  return { headers, release: once };
}
