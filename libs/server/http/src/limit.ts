// The seam for limits: who may be served now. A service passes a `Limit`, for example of
// libs/server/limits. Without one there is no cost.
import type { Response } from 'express';
import type { Caller } from './caller.ts';
import type { Endpoint } from './endpoint.ts';

/** A request that may be served. */
export interface Admission {
  /** Headers of any answer to the request. Those of the answer itself win. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Called once: just before the answer is sent, when a stream opens, or when the client went away.
   * Must not throw.
   */
  readonly release?: () => void;
}

type LimitedEndpoint = Pick<Endpoint, 'limitClass'>;

export interface Limit {
  /** The admission of a caller who is known to have no limit, synchronously. */
  peek(caller: Caller, endpoint: LimitedEndpoint): Admission | undefined;
  /** @throws AppError that carries the headers of the answer and Retry-After. */
  admit(caller: Caller, endpoint: LimitedEndpoint): Promise<Admission>;
  /**
   * Counts effects besides the request, such as sends to people: all of `count` or nothing.
   * @param admissionHeaders the headers of the request's admission
   * @returns the headers of the answer
   * @throws AppError as `admit` does
   */
  charge(
    caller: Caller,
    count: number,
    admissionHeaders: Admission['headers'],
  ): Promise<Admission['headers']>;
  /** For endpoints that `stores`: `bytes` of the body. @throws AppError storage_full */
  store?(caller: Caller, bytes: number): Promise<void>;
}

/** `Limit.charge` for the current request. Without limits it does nothing. */
export type Charge = (count: number) => Promise<void>;

/**
 * `admission` with a `release` that is called exactly once, also when the client goes away before
 * the answer.
 */
export function holdAdmission(admission: Admission, response: Response): Admission {
  const { headers, release } = admission;
  if (!release) return admission;
  let open = true;
  const once = () => {
    if (!open) return;
    open = false;
    release();
  };
  // The client may have gone during `admit`: `close` is not emitted again.
  if (response.closed || response.destroyed || response.socket?.destroyed) once();
  else response.once('close', once);
  return { headers, release: once };
}
