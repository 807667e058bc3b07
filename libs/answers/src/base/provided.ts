// Finds the data of base languages: one file each, which a service reads with the first answer, and
// the console before it runs a flow. This library does no I/O, so the program registers a source.
import { baseLanguages, prepareBase, type BaseLanguage, type BaseLanguageData } from './base-language.ts';

/** Finds the data by primary subtag; null when it is not available (yet). */
export type BaseLanguageSource = (language: string) => BaseLanguageData | null;

const names: ReadonlySet<string> = new Set(baseLanguages);
const prepared = new Map<string, BaseLanguage>();
let source: BaseLanguageSource = () => null;

/** Sets the source of the data. */
export function provideBaseLanguages(from: BaseLanguageSource): void {
  source = from;
}

export const isBaseLanguage = (name: string): boolean => names.has(name);

/** The language of a primary subtag; null when it is none of these, or its data is not provided. */
export function findBaseLanguage(name: string): BaseLanguage | null {
  if (!isBaseLanguage(name)) return null;
  const ready = prepared.get(name);
  if (ready !== undefined) return ready;
  const data = source(name);
  if (data === null) return null;
  const base = prepareBase(data);
  prepared.set(name, base);
  return base;
}
