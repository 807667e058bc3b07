// Traces over OTLP: the spans of requests, messages and attempts of this process. Off until
// `startTracing`, and then only for the traces that are chosen (docs/platform.md#traces).
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
  type Attributes,
  type Span as OtelSpan,
  type Tracer,
} from '@opentelemetry/api';
import type { TracingOptions } from './otlp.ts';
import { formatTraceparent, isChosen, parseTraceparent, type TracePlace } from './traceparent.rules.ts';

/** A span in progress. */
export interface Span {
  /** Trace context for what the span causes. */
  readonly traceparent: string;
  /** `failure` marks the span as failed, in a word or sentence. Later calls do nothing. */
  end(attributes?: Attributes, failure?: string): void;
}

export interface SpanStart {
  /** What is done and with what: `POST /v1/flows`, `process conversation.event`. Few names. */
  readonly name: string;
  readonly kind: 'server' | 'consumer' | 'client';
  readonly attributes: Attributes;
}

const KINDS = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT };
interface Recording {
  readonly tracer: Tracer;
  readonly ratio: number;
}

/** One a process, like the log: null while nothing is exported. */
let recording: Recording | null = null;

/**
 * Records spans from now on and sends them to the collector in batches. The queue is bounded: spans
 * are dropped while the collector does not answer, and nothing waits for it.
 * @returns sends what is left, and stops recording
 */
export async function startTracing(options: TracingOptions): Promise<() => Promise<void>> {
  const { createProvider } = await import('./otlp.ts'); // most installations do not trace, and need not load it
  const provider = createProvider(options);
  recording = { tracer: provider.getTracer('parley'), ratio: options.ratio };
  return async () => {
    recording = null;
    await provider.shutdown().catch(() => undefined); // spans may be lost, and nobody waits for them
  };
}

/**
 * The span of a request. Undefined while nothing is exported. The caller's choice not to record its
 * trace is respected; a caller that wants all of its traces recorded gets the share of everybody.
 * @param isGiven whether the caller sent the trace, which then goes on; else a new one begins
 */
export function startRequestSpan(
  traceparent: string,
  isGiven: boolean,
  start: () => SpanStart,
): Span | undefined {
  const parent = recording && parseTraceparent(traceparent);
  if (recording === null || parent === null) return undefined;
  const isSampled = parent.isSampled && isChosen(parent.traceId, recording.ratio);
  if (isSampled) return open(recording, isGiven ? parent : null, start());
  return { traceparent: formatTraceparent({ ...parent, isSampled }), end: () => undefined };
}

/**
 * The span of work that a request caused, perhaps in another service. Recorded where the trace is.
 * Undefined where nothing is recorded, and for work without a trace.
 */
export function startCausedSpan(
  traceparent: string | null | undefined,
  start: () => SpanStart,
): Span | undefined {
  if (recording === null || traceparent === null || traceparent === undefined) return undefined;
  const parent = parseTraceparent(traceparent);
  return parent?.isSampled ? open(recording, parent, start()) : undefined;
}

/** The id of the trace, where it is recorded: as the exemplar of a metric. */
export function findRecordedTrace(traceparent: string | null | undefined): string | undefined {
  if (recording === null || traceparent === null || traceparent === undefined) return undefined;
  const place = parseTraceparent(traceparent);
  return place?.isSampled ? place.traceId : undefined;
}

/** How a span ends. */
export interface SpanEnd {
  readonly attributes?: Attributes;
  /** Undefined: it succeeded. */
  readonly failure?: string | undefined;
}

/** Runs work inside a span. It fails where the work throws, or as `describe` says of the result. */
export async function inSpan<T>(
  span: Span | undefined,
  work: () => Promise<T>,
  describe: (result: T) => SpanEnd = () => ({}),
): Promise<T> {
  if (span === undefined) return work();
  try {
    const result = await work();
    const { attributes, failure } = describe(result);
    span.end(attributes, failure);
    return result;
  } catch (error) {
    span.end({}, error instanceof Error ? error.name : 'error');
    throw error;
  }
}

function open({ tracer }: Recording, parent: TracePlace | null, { name, kind, attributes }: SpanStart): Span {
  const context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, toSpanContext(parent));
  const span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, context);
  const { traceId, spanId } = span.spanContext();
  return {
    traceparent: formatTraceparent({ traceId, spanId, isSampled: true }),
    end: (more, failure) => end(span, more, failure),
  };
}

function end(span: OtelSpan, attributes: Attributes | undefined, failure: string | undefined): void {
  if (!span.isRecording()) return;
  if (attributes) span.setAttributes(attributes);
  if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
  span.end();
}

function toSpanContext({ traceId, spanId, isSampled }: TracePlace) {
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return { traceId, spanId, traceFlags, isRemote: true };
}
