// The table of suites. A suite is a list of parts; each opens what it needs, measures its comparisons, and closes it again.
import type { Comparison } from './harness.ts';
import { executePart } from './flow/execute.ts';
import { turnPart } from './flow/turn.ts';
import { validatePart } from './flow/validate.ts';

/** What a part is given by main.ts. */
export interface Setting {
  /** The checkout. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

export interface Part {
  readonly title: string;
  /** Calls `measure` once a comparison, with everything it needs running. */
  open(setting: Setting, measure: (comparison: Comparison) => Promise<void>): Promise<void>;
}

export const suites: Readonly<Record<string, readonly Part[]>> = {
  flow: [turnPart, validatePart, executePart],
};
