// Collects the texts of a document by paths of its published schema. It shares nothing with the
// importers, so that it finds what they do not read.
import { jsonPointer } from '@parley/envelopes';

export interface FoundText {
  readonly pointer: string;
  readonly text: string;
  /** The holder and key of the text; a name of a member is its key. */
  readonly holder: Record<string, unknown>;
  readonly key: string;
  readonly isName: boolean;
}

/**
 * @param paths steps with blanks between them: a member (`*` stands for any characters), `[]` for
 *   each element, `@` for the names of the members, `...` for any depth
 */
export function collectTexts(document: unknown, paths: readonly string[]): FoundText[] {
  const found = new Map<string, FoundText>();
  for (const path of paths) {
    const steps = path.split(' ');
    const last = steps.pop()!;
    for (const { value, way } of follow(document, steps, [])) {
      if (typeof value !== 'object' || value === null) continue;
      const holder = value as Record<string, unknown>;
      for (const key of Object.keys(holder).filter((one) => last === '@' || matches(last, one, holder))) {
        const text = last === '@' ? key : holder[key];
        const pointer = jsonPointer([...way, key]);
        const isName = last === '@';
        if (typeof text === 'string' && text !== '')
          found.set(`${pointer} ${isName}`, { pointer, text, holder, key, isName });
      }
    }
  }
  return [...found.values()];
}

interface Visit {
  readonly value: unknown;
  readonly way: readonly (string | number)[];
}

function* follow(
  value: unknown,
  [step, ...rest]: readonly string[],
  way: readonly (string | number)[],
): Generator<Visit> {
  if (step === undefined) {
    yield { value, way };
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (step === '...') yield* follow(value, rest, way);
  for (const [key, member] of Object.entries(value)) {
    if (step === '...') yield* follow(member, [step, ...rest], [...way, key]);
    else if (matches(step, key, value)) yield* follow(member, rest, [...way, key]);
  }
}

function matches(step: string, key: string, holder: object): boolean {
  if (step === '[]') return Array.isArray(holder);
  if (Array.isArray(holder)) return false;
  return new RegExp(`^${step.replaceAll(/[.+?^${}()|[\]\\]/gu, '\\$&').replaceAll('*', '.*')}$`, 'u').test(
    key,
  );
}
