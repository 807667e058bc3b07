// Parses pasted user ids and splits them into requests. Pure.

/** Limit of one request (docs/notifications.md#topics). */
const NAMED_MAX = 10_000;
/** Ten requests; use the API for more. */
export const PASTED_MAX = 100_000;

/** Without duplicates, in order. */
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
