// Pure: whether a recipient wants a category on a channel (docs/notifications.md#preferences).
import type { ChannelName } from '@parley/jobs';

/** Channels by category. */
export type ChannelSets = Readonly<Record<string, readonly string[]>>;

/** The stored choices of a recipient. */
export interface Choices {
  /** `*` stands for every category, and among channels for every channel. */
  readonly switchedOff: ChannelSets;
  /** Of categories that are off by default. */
  readonly switchedOn: ChannelSets;
}

export const NO_CHOICES: Choices = { switchedOff: {}, switchedOn: {} };

/** Not an id of a category. */
const EVERY = '*';

export interface Category {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** Recipients cannot switch it off. Earlier switches have no effect. */
  readonly required: boolean;
  /** Off until the recipient switches it on. */
  readonly optIn: boolean;
}

/** Channels that reach people and have preferences. A webhook does not. */
export const PERSONAL_CHANNELS = ['chat', 'email', 'in_app', 'web_push'] as const satisfies ChannelName[];
export type PersonalChannel = (typeof PERSONAL_CHANNELS)[number];

export function isPersonal(channel: string): channel is PersonalChannel {
  return (PERSONAL_CHANNELS as readonly string[]).includes(channel);
}

/** Whether the send is stopped. A recipient without choices wants what is on by default. */
export function isSwitchedOff(
  choices: Choices | undefined,
  category: Category | undefined,
  channel: string,
): boolean {
  if (!category || category.required || !isPersonal(channel)) return false;
  const { switchedOff } = choices ?? NO_CHOICES;
  if (has(switchedOff, EVERY, EVERY) || has(switchedOff, EVERY, channel)) return true;
  return !isChosen(choices, category, channel);
}

/** The choice for this category alone, without what applies to every category. */
export function isChosen(choices: Choices | undefined, category: Category, channel: string): boolean {
  const { switchedOff, switchedOn } = choices ?? NO_CHOICES;
  if (category.required) return true;
  if (has(switchedOff, category.id, channel)) return false;
  return !category.optIn || has(switchedOn, category.id, channel);
}

/** Whether a recipient gets anything: on a channel, or at all. */
export function isChannelOn({ switchedOff }: Choices, channel: PersonalChannel | null): boolean {
  return !has(switchedOff, EVERY, channel ?? EVERY);
}

function has(sets: ChannelSets, category: string, channel: string): boolean {
  return Object.hasOwn(sets, category) && sets[category]!.includes(channel);
}

type ChannelSwitches = Readonly<Record<string, boolean | undefined>>;

export interface ChoiceChanges {
  readonly all?: boolean | undefined;
  readonly channels?: ChannelSwitches | undefined;
  readonly categories?: Readonly<Record<string, ChannelSwitches>> | undefined;
}

/** Applies changes and drops deleted categories. */
export function applyChanges(
  { switchedOff, switchedOn }: Choices,
  { all, channels = {}, categories: changes = {} }: ChoiceChanges,
  categories: readonly Category[],
): Choices {
  const ids = categories.map(({ id }) => id);
  const turned = (which: boolean) => (id: string) => {
    if (id === EVERY) return listTurned({ ...channels, [EVERY]: all }, which);
    return listTurned(Object.hasOwn(changes, id) ? changes[id]! : {}, which);
  };
  const [on, off] = [turned(true), turned(false)];
  const optIns = categories.filter(({ optIn }) => optIn).map(({ id }) => id);
  return {
    switchedOff: changeSets(switchedOff, [EVERY, ...ids], off, on),
    switchedOn: changeSets(switchedOn, optIns, on, off),
  };
}

const listTurned = (switches: ChannelSwitches, which: boolean): string[] =>
  [EVERY, ...PERSONAL_CHANNELS].filter((name) => switches[name] === which);

function changeSets(
  sets: ChannelSets,
  ids: readonly string[],
  added: (id: string) => readonly string[],
  removed: (id: string) => readonly string[],
): ChannelSets {
  const changed = ids.flatMap((id) => {
    const gone = removed(id);
    const kept = Object.hasOwn(sets, id) ? sets[id]!.filter((name) => !gone.includes(name)) : [];
    const all = [...new Set([...kept, ...added(id)])].sort();
    return all.length > 0 ? [[id, all] as const] : [];
  });
  return Object.fromEntries(changed);
}
