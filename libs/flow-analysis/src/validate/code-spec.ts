// The columns of the table of validation codes.
export type Severity = 'error' | 'warning' | 'info';

export type CodeGroup =
  'structure' | 'routing' | 'reachability' | 'termination' | 'data' | 'agent' | 'webhook';

export interface ValidationCodeSpec {
  readonly severity: Severity;
  /** The severity of some findings of the code; `meaning` says which. */
  readonly orElse?: Severity;
  readonly group: CodeGroup;
  /** The fault, in one sentence. */
  readonly meaning: string;
  /** What the author can do about it. */
  readonly hint: string;
}

const row = (severity: Severity) => (group: CodeGroup, meaning: string, hint: string) => ({
  severity,
  group,
  meaning,
  hint,
});
export const error = row('error');
export const warning = row('warning');
export const info = row('info');
