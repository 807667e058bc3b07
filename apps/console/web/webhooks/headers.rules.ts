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
