export { inSpan, startCausedSpan, startRequestSpan, startTracing, type Span } from './tracing.ts';
export { isTraceparent } from './traceparent.rules.ts';
