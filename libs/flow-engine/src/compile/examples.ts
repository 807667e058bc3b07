// The examples of an edge or a choice, ready to be compared with an utterance.
import { normaliseUtterance } from '@parley/answers';
import { readExamples } from '../define/examples.ts';
import type { CompiledExamples } from './compiled.ts';

/** Null = it has none. */
export function compileExamples(authored: Readonly<Record<string, unknown>>): CompiledExamples | null {
  const read = readExamples(authored);
  if (read === null) return null;
  const said = new Map<string, string>();
  for (const text of read.examples) {
    const words = normaliseUtterance(text);
    if (words !== '' && !said.has(words)) said.set(words, text);
  }
  return { ...read, said, notMeant: new Set(read.counterExamples.map((text) => normaliseUtterance(text))) };
}
