// Values as a person reads them in one line: on edges, in traces, in the list of variables.

/** Characters of one value that are shown. */
const SHOWN_CHARACTERS_MAX = 60;

export const shownText = (text: string): string =>
  text.length <= SHOWN_CHARACTERS_MAX ? text : `${text.slice(0, SHOWN_CHARACTERS_MAX)}…`;

export function shownValue(value: unknown): string {
  return shownText(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
}
