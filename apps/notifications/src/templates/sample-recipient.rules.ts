// Pure: whether a template reads the recipient, and a recipient who has all that it reads, for whom
// a send to a topic is checked.
import type { LocaleContent } from '../rendering/template-content.ts';

export function readsRecipient(words: LocaleContent): boolean {
  return /\brecipient\b/.test(JSON.stringify(words));
}

const PATH = /\brecipient((?:\.[A-Za-z_][\w-]*|\[\s*(?:"[^"]*"|'[^']*')\s*\])+)/g;
const STEP = /\.([A-Za-z_][\w-]*)|\[\s*(?:"([^"]*)"|'([^']*)')\s*\]/g;

type Members = Record<string, unknown>;

/** Missing members that the template names get a text: `recipient.attributes.name` is `[name]`. */
export function createSampleRecipient(texts: readonly LocaleContent[], known: object): object {
  const sample = structuredClone(known) as Members;
  const sources = texts
    .flatMap(Object.values<unknown>)
    .flatMap((part) => (typeof part === 'string' ? part : Object.values(part as Record<string, unknown>)));
  for (const source of sources)
    for (const [, path = ''] of typeof source === 'string' ? source.matchAll(PATH) : [])
      addPath(
        sample,
        [...path.matchAll(STEP)].map(([, name, double, single]) => name ?? double ?? single ?? ''),
      );
  return sample;
}

function addPath(sample: Members, names: readonly string[]): void {
  if (names.includes('__proto__')) return;
  let at = sample;
  for (const name of names.slice(0, -1)) {
    if (typeof at[name] !== 'object' || at[name] === null) at[name] = {};
    at = at[name] as Members;
  }
  const last = names.at(-1)!;
  at[last] ??= `[${last}]`;
}
