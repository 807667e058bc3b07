// `variants` of a message or collect node: other ways to say its `text` or `prompt`
// (docs/flow-language.md#variants). A list with a fault has no effect and validation reports it; a
// stored flow always parses.
import type { AuthoredNode } from './definition.ts';
import { limits } from './limits.ts';

/** The usable variants, and the problems of the others. */
export function readVariants({ variants }: AuthoredNode): {
  readonly texts: readonly string[];
  readonly problem: string | null;
} {
  if (variants === undefined || variants === null) return { texts: [], problem: null };
  if (!Array.isArray(variants)) return { texts: [], problem: '`variants` must be a list of texts' };
  if (variants.length > limits.variantsMax)
    return { texts: [], problem: `At most ${limits.variantsMax} variants, not ${variants.length}` };
  const isText = (text: unknown): text is string =>
    typeof text === 'string' && text.trim() !== '' && text.length <= limits.textCharsMax;
  return variants.every(isText)
    ? { texts: variants, problem: null }
    : { texts: [], problem: `Every variant must be a text of 1 to ${limits.textCharsMax} characters` };
}
