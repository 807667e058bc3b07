// The table of alerts: what goes wrong with the platform that an operator must know. A new one is a
// row here, `raise` in the transaction of its cause, and the end of its cause
// (docs/platform.md#alerts).

export interface AlertKind {
  /** `error`: something does not work. `warning`: something will not work soon. */
  readonly severity: 'error' | 'warning';
  /** Subject of the mail, title in the console. */
  readonly title: string;
  /**
   * Resolves when nothing raised it for this long, for causes that leave no row that says they
   * ended.
   */
  readonly quietMs?: number;
}

/** Three times as long as the rarest of these causes takes to show again. */
const QUIET_MS = 15 * 60_000;

export const alertKinds = {
  webhook_failing: { severity: 'warning', title: 'A webhook is failing' },
  webhook_disabled: { severity: 'error', title: 'A webhook was disabled' },
  work_quarantined: { severity: 'error', title: 'Work was quarantined' },
  storage_almost_full: { severity: 'warning', title: 'Storage is almost full' },
  provider_refused: { severity: 'error', title: 'A provider refuses the key', quietMs: QUIET_MS },
  mail_reputation: {
    severity: 'warning',
    title: 'Too much mail bounces or is reported as spam',
    quietMs: QUIET_MS,
  },
  model_budget_low: { severity: 'warning', title: 'The budget of models is almost used up' },
  model_budget_used_up: { severity: 'error', title: 'The budget of models is used up' },
  data_key_missing: { severity: 'error', title: 'DATA_KEY lacks a key', quietMs: QUIET_MS },
  clock_off: { severity: 'error', title: 'The clock of a replica is wrong', quietMs: QUIET_MS },
  queue_refused: { severity: 'error', title: 'Redis refuses jobs', quietMs: QUIET_MS },
  queue_worker_restarted: {
    severity: 'warning',
    title: 'A queue worker was restarted',
    quietMs: QUIET_MS,
  },
} as const satisfies Record<string, AlertKind>;

export type AlertKindName = keyof typeof alertKinds;
export const ALERT_KINDS = Object.keys(alertKinds) as [AlertKindName, ...AlertKindName[]];
