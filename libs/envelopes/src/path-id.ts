// The schema of ids that customers choose. They become parts of paths, so a URL parser must not
// change them: deleting the test `..` would send `DELETE /v1/flows/F/`.
import { z } from 'zod';

/** Fits an index of Postgres in any script. */
const CHARACTERS_MAX = 255;
/** As JSON Schema. Names of dots only and spaces at an end are refused as well. */
const CHARACTER = String.raw`[^\u0000-\u001f\u007f-\u009f/\\?#%]`;
const CHARACTERS = new RegExp(`^${CHARACTER}+$`, 'u');
const CHANGED = /^\.+$|^ | $|\p{Cs}/u;

/** Whether the URL Standard parses a path with this part, and decodes it, to the same id. */
export function isPathId(id: string, charactersMax = CHARACTERS_MAX): boolean {
  return CHARACTERS.test(id) && !CHANGED.test(id) && [...id].length <= charactersMax;
}

/**
 * An id that a request may create. Endpoints that read or delete also accept ids from before this
 * rule.
 */
export function pathId(charactersMax = CHARACTERS_MAX) {
  return z
    .string()
    .refine(
      (id) => isPathId(id, charactersMax),
      `must be 1 to ${charactersMax} characters: not dots alone, no control characters, none of / \\ ? # %, no space at either end`,
    )
    .meta({ pattern: `^${CHARACTER}{1,${charactersMax}}$` });
}
