// The documents of the gate, with a mark in every text.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectTexts } from './collect.ts';
import type { GateSchema } from './schemas.ts';

export const readGateDocument = ({ document }: GateSchema): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, `${document}.json`), 'utf8'));

const SHORT = /^[\p{L}\p{N}_-]+$/u;

/** Marks every text, so that finding it in a definition is no accident; names stay alike. */
export function markTexts(document: unknown, paths: readonly string[]): unknown {
  const copy: unknown = structuredClone(document);
  const names = new Map<string, string>();
  let count = 0;
  const texts = collectTexts(copy, paths).filter(({ text }) => !/^(?:en|de|en-US|POST|PUT|GET)$/u.test(text));
  for (const { text, isName, holder, key } of texts) {
    count += 1;
    if (isName || SHORT.test(text)) {
      const name = names.get(text) ?? `w${count}w_${text}`;
      names.set(text, name);
    } else holder[key] = `w${count}w ${text}`;
  }
  return rename(copy, names);
}

/** Names stand in several places: as a name, a member, and in what refers to it. */
function rename(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((element) => rename(element, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [names.get(name) ?? name, rename(member, names)]),
  );
}
