// The table of all validation codes (docs/flow-language.md#validation). The rules are keyed by it,
// so a code without a rule does not compile; the reference pages are generated from it. Add a
// finding here first.

import { dataCodes } from './data-codes.ts';
import { graphCodes } from './graph-codes.ts';

export type { Severity, ValidationCodeSpec } from './code-spec.ts';

export const validationCodes = { ...graphCodes, ...dataCodes };

export type ValidationCode = keyof typeof validationCodes;
