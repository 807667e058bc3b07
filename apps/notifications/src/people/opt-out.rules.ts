// Pure: whether a recipient wants a category on a channel.
import type { ChannelName } from '@parley/jobs';

/** Channels that a recipient switched off, by category. */
export type SwitchedOff = Readonly<Record<string, readonly string[]>>;

export interface Category {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Recipients cannot switch it off. Earlier switches have no effect. */
  readonly required: boolean;
}

/** Channels that reach people and have preferences. A webhook does not. */
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

/** Applies changes to preferences and drops deleted categories. */
export function applyChanges(
  switchedOff: SwitchedOff,
  changes: Readonly<Record<string, Partial<Readonly<Record<PersonalChannel, boolean | undefined>>>>>,
  categories: readonly Category[],
): SwitchedOff {
  const remaining = categories.flatMap(({ id }) => {
    const off = new Set(Object.hasOwn(switchedOff, id) ? switchedOff[id] : []);
    const change = Object.hasOwn(changes, id) ? changes[id]! : {};
    for (const channel of PERSONAL_CHANNELS) {
      if (change[channel] === false) off.add(channel);
      if (change[channel] === true) off.delete(channel);
    }
    return off.size > 0 ? [[id, [...off].sort()] as const] : [];
  });
  return Object.fromEntries(remaining);
}
