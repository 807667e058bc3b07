export {
  findRecordedTrace,
  inSpan,
  startCausedSpan,
  startRequestSpan,
  startTracing,
  type Span,
  type SpanEnd,
} from './tracing.ts';
export { isTraceparent } from './traceparent.rules.ts';
