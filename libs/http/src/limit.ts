// The seam for limits: who may be served now. A service that has limits hands in a `Limit` (apps/voice-api does, libs/http
// knows none); a service without one pays nothing. Asked by pipeline.ts right after the credential.
import type { Response } from 'express';
import type { Caller } from './caller.ts';
import type { Endpoint } from './endpoint.ts';

/** A request that may be served. */
export interface Admission {
  /** Headers of its answer, whatever the answer is; an answer's own headers win. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called once: just before the answer is sent, or when the client went away. Must not throw. */
  readonly release?: () => void;
}

/**
 * Admits a request, or refuses it by throwing an AppError that carries the same headers and Retry-After. Undefined: there
 * is nothing to limit and nothing to say. Answers at once where it can: only a promise is awaited.
 */
export type Limit = (
  caller: Caller,
  endpoint: Pick<Endpoint, 'limitClass'>,
) => Admission | undefined | Promise<Admission | undefined>;

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
