// Formats values in one line, for edges, traces and variables.

/** Longer values are cut. */
const SHOWN_CHARACTERS_MAX = 60;

export const shownText = (text: string): string =>
  text.length <= SHOWN_CHARACTERS_MAX ? text : `${text.slice(0, SHOWN_CHARACTERS_MAX)}…`;

export function shownValue(value: unknown): string {
  return shownText(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}
