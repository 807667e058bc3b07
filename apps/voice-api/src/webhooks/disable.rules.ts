// When failed deliveries disable a webhook (docs/voice-api.md#schedule). Pure.

/** The failed attempt of a delivery that disables its webhook. */
export const DISABLING_ATTEMPT = 5;
/** The failed attempt at which the organisation is alerted: half of those that disable. */
const WARNING_ATTEMPT = Math.ceil(DISABLING_ATTEMPT / 2);
/**
 * `when_failing`: only if nothing was delivered since the first attempt of that delivery, so one
 * event that a receiver rejects does not stop all others.
 */
export const DISABLE_MODES = ['after_failures', 'when_failing'] as const;
export type DisableMode = (typeof DISABLE_MODES)[number];
/** The receiver reports that it is gone permanently. */
export const GONE = 410;

interface FailedAttempt {
  /** From 1. */
  readonly attempt: number;
  readonly kind: string;
  /** The event is a speech.interim, whose failures count only as GONE. */
  readonly interim: boolean;
  readonly status?: number | undefined;
}

/** Only deliveries of events count: replays and tests never disable a webhook. */
export function decideDisabling({ attempt, kind, interim, status }: FailedAttempt) {
  if (kind !== 'event') return { disable: false, warn: false };
  if (status === GONE) return { disable: true, warn: false };
  return {
    disable: !interim && attempt >= DISABLING_ATTEMPT,
    warn: !interim && attempt === WARNING_ATTEMPT,
  };
}
