// W3C Trace Context, version 00: reading and writing the header `traceparent`.

/** A place in a trace that something else continues. */
export interface TracePlace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** An all-zero trace or span id is invalid (W3C Trace Context §3.2.2). */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

export function isTraceparent(text: string): boolean {
  return TRACEPARENT.test(text);
}

/** Null where the text is no valid header. */
export function parseTraceparent(text: string): TracePlace | null {
  const match = TRACEPARENT.exec(text);
  if (match === null) return null;
  const [, traceId, spanId, flags] = match as unknown as [string, string, string, string];
  return { traceId, spanId, isSampled: (parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, isSampled }: TracePlace): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** How many values the last eight digits of a trace id have. */
const TRACE_ID_VALUES = 2 ** 32;

/**
 * Whether a trace is among the share that is recorded. The last digits of a trace id are random
 * (W3C Trace Context Level 2 §3.2.2.3), so every service chooses the same traces.
 * @param ratio from 0 to 1
 */
export function isChosen(traceId: string, ratio: number): boolean {
  return parseInt(traceId.slice(-8), 16) / TRACE_ID_VALUES < ratio;
}
