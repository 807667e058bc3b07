// Starts the other tenant, who must not notice an attack, with its receiver in a process of its
// own.
import type { TargetName } from './attack.ts';
import { startChild } from './child-process.ts';

/** Times are milliseconds since a request was due. */
export interface Measurements {
  readonly requests: readonly number[];
  readonly deliveries: readonly number[];
  readonly healthMsWorst: number;
  /** How long the watching process itself stood still: the times may contain as much. */
  readonly ownLagMs: number;
  /** Answers of the service that were no success. */
  readonly refused: readonly string[];
  /** Deliveries that did not arrive. */
  readonly missing: number;
}

export interface OtherTenant {
  /** Sends at a steady pace while `work` runs, then waits for open requests. */
  watch(signal: AbortSignal, work: () => Promise<void>): Promise<Measurements>;
  close(): Promise<void>;
}

export interface TenantConfig {
  readonly service: TargetName;
  readonly origin: string;
  /** An API key, or the cookie of a console session. */
  readonly key: string;
  readonly healthUrl: string;
}

export type TenantCommand = { readonly setUp: TenantConfig } | 'begin' | 'end';

/** Resolves when the tenant is ready to be watched. */
export async function startOtherTenant(at: TenantConfig): Promise<OtherTenant> {
  const { call, close } = startChild<TenantCommand, Measurements | undefined>('other-tenant-process');
  await call({ setUp: at });
  return {
    watch: async (signal, work) => {
      await call('begin', signal);
      await work();
      return (await call('end', signal))!;
    },
    close,
  };
}
