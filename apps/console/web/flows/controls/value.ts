// JSON values in one line: 18 is a number, true a boolean, [..] an array, and everything else a
// text.

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export function readValue(typed: string): unknown {
  const text = typed.trim();
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (text === 'null') return null;
  const isJson = NUMBER.test(text) || /^[[{"]/.test(text);
  if (!isJson || text.startsWith('{{')) return typed;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return typed; // incomplete, or a text that starts like JSON
  }
}

/** Inverse of `readValue`. */
export function showValue(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string' && readValue(value) === value) return value;
  return JSON.stringify(value);
}

/** Whether `showValue` and `readValue` preserve the value. */
export const isPlain = (value: unknown): boolean =>
  value === undefined || JSON.stringify(readValue(showValue(value))) === JSON.stringify(value);

export function kindOfValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return value.includes('{{') ? 'template' : 'text';
  return typeof value === 'boolean' ? 'boolean' : typeof value;
}

/** Choices as lines: `red: crimson, scarlet`. Null when they need JSON. */
export function showChoices(choices: readonly unknown[]): string | null {
  const lines: string[] = [];
  for (const choice of choices) {
    const isObject = typeof choice === 'object' && choice !== null;
    const { value, synonyms, ...rest } = (isObject ? choice : { value: choice }) as Record<string, unknown>;
    const words: unknown = synonyms ?? [];
    const isPlain = ['string', 'number', 'boolean'].includes(typeof value) && Object.keys(rest).length === 0;
    if (!isPlain || !Array.isArray(words) || !words.every((word) => typeof word === 'string')) return null;
    const shown = showValue(value);
    if (/[:\n]/.test(shown) || words.some((word: string) => /[,\n]/.test(word))) return null;
    lines.push(words.length === 0 ? shown : `${shown}: ${words.join(', ')}`);
  }
  return lines.join('\n');
}

export function readChoices(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const colon = line.indexOf(':');
      if (colon === -1) return readValue(line.trim());
      const synonyms = line
        .slice(colon + 1)
        .split(',')
        .map((word) => word.trim())
        .filter(Boolean);
      const value = readValue(line.slice(0, colon).trim());
      return synonyms.length === 0 ? value : { value, synonyms };
    });
}

export const readLines = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');
