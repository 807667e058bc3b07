// What is measured of the engine in this process. An entry of its own, since it is bundled before
// it runs (bundled-parts.ts).
import type { Part } from '../suites.ts';
import { examplesPart } from './examples.ts';
import { languagePart } from './language.ts';
import { replayPart } from './replay.ts';
import { spokenPart } from './spoken.ts';
import { turnPart } from './turn.ts';
import { validatePart } from './validate.ts';

export const engineParts: readonly Part[] = [
  turnPart,
  languagePart,
  spokenPart,
  examplesPart,
  validatePart,
  replayPart,
];
