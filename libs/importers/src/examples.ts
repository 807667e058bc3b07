// Training phrases of other products as `examples` of an edge (docs/importers.md).
import { limits } from '@parley/flow-engine';

/** The first phrases, each once. Longer ones are lost: an utterance is short. */
export function toExamples(phrases: readonly string[]): { readonly examples?: readonly string[] } {
  const texts = phrases.map((phrase) => phrase.replaceAll(/\s+/gu, ' ').trim());
  const fitting = texts.filter((text) => text !== '' && text.length <= limits.exampleCharsMax);
  const examples = [...new Set(fitting)].slice(0, limits.examplesMax);
  return examples.length === 0 ? {} : { examples };
}
