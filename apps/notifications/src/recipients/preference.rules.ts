// Whether a recipient wants to hear of a category over a channel. Pure.
import type { ChannelName } from '@parley/queues';

/** Channels by category: what a recipient wants nothing of. */
export type SwitchedOff = Readonly<Record<string, readonly string[]>>;

export interface Category {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Nobody can switch it off; what was switched off before it became so counts for nothing. */
  readonly required: boolean;
}

/** The channels by which people are reached: what preferences are about. A webhook is nobody's. */
export const PERSONAL_CHANNELS = ['chat', 'email', 'in_app', 'web_push'] as const satisfies ChannelName[];
export type PersonalChannel = (typeof PERSONAL_CHANNELS)[number];

export function isPersonal(channel: string): channel is PersonalChannel {
  return (PERSONAL_CHANNELS as readonly string[]).includes(channel);
}

export function isSwitchedOff(
  switchedOff: SwitchedOff | undefined,
  category: Category | undefined,
  channel: string,
): boolean {
  if (!switchedOff || !category || category.required || !isPersonal(channel)) return false;
  return Object.hasOwn(switchedOff, category.id) && switchedOff[category.id]!.includes(channel);
}

/** What is switched off after some of it was changed; of categories that are no more nothing is left. */
export function changed(
  switchedOff: SwitchedOff,
  changes: Readonly<Record<string, Partial<Readonly<Record<PersonalChannel, boolean | undefined>>>>>,
  categories: readonly Category[],
): SwitchedOff {
  const kept = categories.flatMap(({ id }) => {
    const off = new Set(Object.hasOwn(switchedOff, id) ? switchedOff[id] : []);
    const change = Object.hasOwn(changes, id) ? changes[id]! : {};
    for (const channel of PERSONAL_CHANNELS) {
      if (change[channel] === false) off.add(channel);
      if (change[channel] === true) off.delete(channel);
    }
    return off.size > 0 ? [[id, [...off].sort()] as const] : [];
  });
  return Object.fromEntries(kept);
}
