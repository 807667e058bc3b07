// Where the data of base languages comes from: a file each, which a service reads when the first
// answer needs it, and the console's page before it runs a flow. This library does no I/O, so the
// program that runs it says how.
import { baseLanguages, prepareBase, type BaseLanguage, type BaseLanguageData } from './base-language.ts';

/** Finds the data by primary subtag; null when it is not there (yet). */
export type BaseLanguageSource = (language: string) => BaseLanguageData | null;

const names: ReadonlySet<string> = new Set(baseLanguages);
const prepared = new Map<string, BaseLanguage>();
let source: BaseLanguageSource = () => null;

/** Tells where data is found from now on. */
export function provideBaseLanguages(from: BaseLanguageSource): void {
  source = from;
}

export const isBaseLanguage = (name: string): boolean => names.has(name);

/** The language of a primary subtag; null when it is none of these, or its data is not provided. */
export function baseLanguageOf(name: string): BaseLanguage | null {
  if (!isBaseLanguage(name)) return null;
  const ready = prepared.get(name);
  if (ready !== undefined) return ready;
  const data = source(name);
  if (data === null) return null;
  const base = prepareBase(data);
  prepared.set(name, base);
  return base;
}
