// Who attacks, with receivers, in a process of its own, which takes what of the processor the services leave: its machine would be another.
import type { Attack } from './attack.ts';
import type { At } from './neighbour.ts';
import { startOther } from './other-process.ts';

export interface Attacker {
  /** Why the attack cannot be made; undefined: it can. */
  prepare(attack: Attack, round: number, signal: AbortSignal): Promise<string | undefined>;
  attack(attack: Attack, round: number, signal: AbortSignal): Promise<Attacked>;
  close(): Promise<void>;
}

export interface Attacked {
  /** 0: no answer. */
  readonly status: number;
  readonly code: string;
  readonly ms: number;
  /** Why it is none of the answers that the attack may be given. */
  readonly wrong?: string;
}

export type Settled = Omit<At, 'key' | 'healthUrl'> & {
  readonly keys: Readonly<Record<'enterprise' | 'starter', string>>;
};

export type Told =
  | { readonly settle: Settled }
  | { readonly prepare: string; readonly round: number }
  | { readonly attack: string; readonly round: number };

/** @param kill ends the service as a crash would, and starts it again in its place */
export async function startAttacker(at: Settled, kill: () => Promise<void>): Promise<Attacker> {
  const { tell, close } = startOther<Told, Attacked | string | undefined>('attacker-process', kill);
  await tell({ settle: at });
  return {
    prepare: async ({ name }, round, signal) =>
      (await tell({ prepare: name, round }, signal)) as string | undefined,
    attack: async ({ name }, round, signal) => (await tell({ attack: name, round }, signal)) as Attacked,
    close,
  };
}
