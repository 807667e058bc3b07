// The results of comparisons: a few constants, so that comparing allocates nothing.

/** Why a comparison had a result without really comparing. Shown in the trace. */
export type ComparisonNote =
  | 'variable_missing'
  | 'value_missing'
  | 'type_mismatch'
  | 'empty_value'
  | 'invalid_pattern'
  | 'text_too_long'
  | 'unknown_operator';

export interface Verdict {
  readonly matched: boolean;
  readonly note: ComparisonNote | null;
  /** The result of the complementary operator (neq of eq, not_in of in …). */
  readonly opposite: Verdict;
}

export const { yes, no } = verdicts(null);
export const mismatch = verdicts('type_mismatch').no;
export const valueMissing = verdicts('value_missing').no;
export const emptyValue = verdicts('empty_value').no;
export const invalidPattern = verdicts('invalid_pattern').no;
export const textTooLong = verdicts('text_too_long').no;
export const unknownOperator = verdicts('unknown_operator').no;
export const missing = verdicts('variable_missing');

function verdicts(note: ComparisonNote | null): { yes: Verdict; no: Verdict } {
  type Draft = { -readonly [Member in keyof Verdict]: Verdict[Member] };
  const matched = { matched: true, note } as Draft;
  const unmatched: Verdict = { matched: false, note, opposite: matched };
  matched.opposite = unmatched;
  return { yes: matched, no: unmatched };
}

export const answer = (matched: boolean): Verdict => (matched ? yes : no);
