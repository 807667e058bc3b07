// Parses headers as people paste them from a log, a terminal or a debugger. Pure.

/** One `name: value` per line. Collects repeated names and skips lines that are no header. */
export function parseHeaders(text: string): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const line of text.split(/\r?\n/)) {
    const [, name, value = ''] = /^[\s<>"'-]*([\w-]+)["']?\s*:\s*(.*?)[\s,]*$/.exec(line) ?? [];
    if (name === undefined || name.toLowerCase() === '__proto__') continue;
    const bare = /^(["'])(.*)\1$/.exec(value)?.[2] ?? value;
    const key = name.toLowerCase();
    const known = headers[key];
    headers[key] = known === undefined ? bare : [known, bare].flat();
  }
  return headers;
}

export interface HeaderRow {
  readonly name: string;
  readonly value: string;
}

/** Every line is a row, also one that is not typed yet. */
export const toHeaderRows = (text: string): readonly HeaderRow[] =>
  (text === '' ? [] : text.split(/\r?\n/)).map((line) => {
    const [name = '', ...rest] = line.split(':');
    return { name, value: rest.join(':').replace(/^ /, '') };
  });

export const toHeaderText = (rows: readonly HeaderRow[]): string =>
  rows.map(({ name, value }) => `${name.replaceAll(':', '')}: ${value}`).join('\n');

/** A name that no header can have, although its row is begun. */
export const findWrongName = (text: string): string | undefined =>
  toHeaderRows(text).find(({ name, value }) => name + value !== '' && !/^[\w-]+$/.test(name))?.name;
