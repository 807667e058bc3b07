// Starts the attacker with its receivers in a process of its own. It runs at the lowest priority,
// because in reality it has a machine of its own.
import type { Attack } from './attack.ts';
import type { TenantConfig } from './other-tenant.ts';
import { startChild } from './child-process.ts';

export interface Attacker {
  /** Returns why the preparation failed; undefined when it succeeded. */
  prepare(attack: Attack, round: number, signal: AbortSignal): Promise<string | undefined>;
  attack(attack: Attack, round: number, signal: AbortSignal): Promise<AttackResult>;
  close(): Promise<void>;
}

export interface AttackResult {
  /** 0 for no answer. */
  readonly status: number;
  readonly code: string;
  readonly ms: number;
  /** Why the answer is not an expected one. */
  readonly wrong?: string;
}

export type AttackerConfig = Omit<TenantConfig, 'key' | 'healthUrl'> & {
  readonly keys: Readonly<Record<'enterprise' | 'starter', string>>;
};

export type AttackerCommand =
  | { readonly setUp: AttackerConfig }
  | { readonly prepare: string; readonly round: number }
  | { readonly attack: string; readonly round: number };

/** @param kill kills the service and starts it again on the same port */
export async function startAttacker(at: AttackerConfig, kill: () => Promise<void>): Promise<Attacker> {
  const { call, close } = startChild<AttackerCommand, AttackResult | string | undefined>(
    'attacker-process',
    kill,
  );
  await call({ setUp: at });
  return {
    prepare: async ({ name }, round, signal) =>
      (await call({ prepare: name, round }, signal)) as string | undefined,
    attack: async ({ name }, round, signal) => (await call({ attack: name, round }, signal)) as AttackResult,
    close,
  };
}
