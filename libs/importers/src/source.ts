// Reads values of unknown documents: every accessor has a fallback.

export type Members = Readonly<Record<string, unknown>>;

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const toMembers = (value: unknown): Members => (isMembers(value) ? value : {});

export const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Keeps the indexes: an element that is not an object becomes an empty one. */
export const toMembersList = (value: unknown): readonly Members[] => toList(value).map(toMembers);

/** Trimmed; '' when it is not a text. */
export const toText = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** The first non-empty text, else ''. */
export const findText = (...values: readonly unknown[]): string =>
  values.map(toText).find((text) => text !== '') ?? '';

/** The member at a path. */
export const getMember = (value: unknown, ...way: readonly (string | number)[]): unknown =>
  way.reduce<unknown>((inner, step) => {
    if (typeof step === 'number') return toList(inner)[step];
    const members = toMembers(inner);
    return Object.hasOwn(members, step) ? members[step] : undefined;
  }, value);
