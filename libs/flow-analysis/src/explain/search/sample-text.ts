// Makes a short text that a pattern matches, for common RE2 syntax: letters, classes, groups,
// alternatives and repeats. Gives no text for other syntax; callers check the text before they rely
// on it.

/** Characters of a sample: nested repeats would otherwise grow without end. */
const sampleCharsMax = 200;
const nestingMax = 50;

/** Null = unsupported syntax. */
export function makeMatchingText(pattern: string): string | null {
  try {
    const reader = { text: pattern, at: 0, depth: 0 };
    const sample = readChoices(reader);
    return reader.at === pattern.length && sample.length <= sampleCharsMax ? sample : null;
  } catch (error) {
    if (error instanceof NotUnderstood) return null;
    throw error;
  }
}

class NotUnderstood extends Error {}

interface Reader {
  readonly text: string;
  at: number;
  depth: number;
}

/** The first of `a|b`. */
function readChoices(reader: Reader): string {
  if (++reader.depth > nestingMax) throw new NotUnderstood();
  const first = readSequence(reader);
  while (reader.text[reader.at] === '|') {
    reader.at++;
    readSequence(reader);
  }
  reader.depth--;
  return first;
}

function readSequence(reader: Reader): string {
  let sample = '';
  while (reader.at < reader.text.length && !'|)'.includes(reader.text[reader.at]!)) {
    const piece = readPiece(reader);
    sample += piece.repeat(readRepeats(reader));
    if (sample.length > sampleCharsMax) throw new NotUnderstood();
  }
  return sample;
}

function readPiece(reader: Reader): string {
  const character = reader.text[reader.at++]!;
  switch (character) {
    case '^':
    case '$':
      return '';
    case '.':
      return 'a';
    case '[':
      return readClass(reader);
    case '\\':
      return readEscape(reader);
    case '(': {
      skip(reader, /^\?(?:P?<\w+>|:|i:)/);
      const inside = readChoices(reader);
      if (reader.text[reader.at++] !== ')') throw new NotUnderstood();
      return inside;
    }
    default:
      if ('*+?{'.includes(character)) throw new NotUnderstood();
      return character;
  }
}

/** The minimum number of repeats, but at least one: samples show optional parts. */
function readRepeats(reader: Reader): number {
  const [repeat = ''] = skip(reader, /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/) ?? [];
  const fewest = /^\{(\d+)/.exec(repeat);
  return fewest === null ? 1 : Number(fewest[1]);
}

const escapes: Readonly<Record<string, string>> = {
  d: '1',
  w: 'a',
  s: ' ',
  D: 'a',
  S: 'a',
  W: ' ',
  b: '',
  A: '',
  z: '',
};

function readEscape(reader: Reader): string {
  const escaped = reader.text[reader.at++];
  if (escaped === undefined) throw new NotUnderstood();
  const sample = escapes[escaped];
  if (sample !== undefined) return sample;
  if (/[A-Za-z0-9]/.test(escaped)) throw new NotUnderstood();
  return escaped;
}

/** The first character of a class; of a negated class, a character that is not in it. */
function readClass(reader: Reader): string {
  const [excludes = ''] = skip(reader, /^\^/) ?? [];
  const [inside] = skip(reader, /^\]?(?:\\.|\[:\w+:\]|[^\]\\])*/) ?? [];
  if (reader.text[reader.at++] !== ']' || inside === undefined || inside.includes('[:'))
    throw new NotUnderstood();
  if (excludes === '')
    return inside.startsWith('\\') ? readEscape({ text: inside, at: 1, depth: 0 }) : inside[0]!;
  const other = ['a', '1', ' ', '_'].find((sample) => !mayStandIn(inside, sample));
  if (other === undefined) throw new NotUnderstood();
  return other;
}

const kinds: Readonly<Record<string, RegExp>> = { d: /\d/, w: /\w/, s: /\s/ };

/** Of the inside of a class; unsupported syntax may match anything. */
function mayStandIn(inside: string, character: string): boolean {
  for (const [, escaped, from, to] of inside.matchAll(/\\(.)|(.)(?:-(.))?/gs)) {
    if (escaped !== undefined) {
      const kind = kinds[escaped];
      if (kind === undefined ? escaped === character || /\w/.test(escaped) : kind.test(character))
        return true;
    } else if (character >= from! && character <= (to ?? from!)) return true;
  }
  return false;
}

function skip(reader: Reader, what: RegExp): RegExpExecArray | null {
  const found = what.exec(reader.text.slice(reader.at));
  reader.at += found?.[0].length ?? 0;
  return found;
}
