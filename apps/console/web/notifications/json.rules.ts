// Parses JSON from form fields. Pure.

export type Read<T> = { readonly value: T } | { readonly problem: string };

/** An empty field is `undefined`, which the request omits. */
export function readObject(text: string): Read<Record<string, unknown> | undefined> {
  const read = readJson(text);
  if ('problem' in read || read.value === undefined) return read as Read<undefined>;
  const { value } = read;
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { value: value as Record<string, unknown> }
    : { problem: 'This must be a JSON object: { … }.' };
}

function readJson(text: string): Read<unknown> {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return { problem: 'This must be valid JSON.' };
  }
}

export const problemOf = (read: Read<unknown>): string | undefined =>
  'problem' in read ? read.problem : undefined;
export const valueOf = <T>(read: Read<T>): T | undefined => ('value' in read ? read.value : undefined);
