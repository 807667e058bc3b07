// Reading documents of others: nothing is where it should be, so every step says what stands there when nothing does.

export type Members = Readonly<Record<string, unknown>>;

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const membersOf = (value: unknown): Members => (isMembers(value) ? value : {});

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A list as objects, each in its place: whatever else stands there is an empty one. */
export const allMembers = (value: unknown): readonly Members[] => listOf(value).map(membersOf);

/** Without blanks around it; '' where there is no text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** The first of the values that is a text with something in it, else ''. */
export const firstText = (...values: readonly unknown[]): string =>
  values.map(textOf).find((text) => text !== '') ?? '';

/** A member at the end of a way. */
export const at = (value: unknown, ...way: readonly (string | number)[]): unknown =>
  way.reduce<unknown>((inner, step) => {
    if (typeof step === 'number') return listOf(inner)[step];
    const members = membersOf(inner);
    return Object.hasOwn(members, step) ? members[step] : undefined;
  }, value);
