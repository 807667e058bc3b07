// Users that are pasted, a line each, and how many of them a request takes. Pure.

/** As many as one request names (docs/notifications.md#topics). */
const NAMED_MAX = 10_000;
/** Ten requests: more are a program's work. */
export const PASTED_MAX = 100_000;

/** Each once, in their order. */
export const idsIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
];

export const inRequests = (ids: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / NAMED_MAX) }, (_, index) =>
    ids.slice(index * NAMED_MAX, (index + 1) * NAMED_MAX),
  );
