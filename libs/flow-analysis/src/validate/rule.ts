// A rule of validation.
import type { Finding } from './finding.ts';
import type { FlowIndex } from './flow-index.ts';

/** Reads only the index; never throws, on any flow that parses. */
export type Rule = (index: FlowIndex) => Iterable<Finding>;
