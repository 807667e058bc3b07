import { afterEach, describe, expect, test } from '@jest/globals';
import { receiver, type Receiver } from '@parley/testing';
import { inSpan, startCausedSpan, startRequestSpan, startTracing } from '../src/index.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const given = `00-${TRACE}-b7ad6b7169203331-01`;
const start = () =>
  ({ name: 'GET /v1/flows', kind: 'server', attributes: { 'http.route': '/v1/flows' } }) as const;

let collector: Receiver | undefined;
let stop: (() => Promise<void>) | undefined;

async function trace(ratio: number) {
  collector = await receiver();
  stop = await startTracing({
    service: 'voice-api',
    endpoint: `${collector.url}/`,
    headers: { authorization: 'Bearer collector' },
    ratio,
  });
}

/** The spans that the collector got, once the process has stopped. */
async function collected() {
  await stop?.();
  stop = undefined;
  return collector!.requests.flatMap(({ body }) =>
    (JSON.parse(body.toString()) as OtlpTraces).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) => spans),
    ),
  );
}

/** What is read of OTLP in JSON (opentelemetry-proto, trace.proto). */
interface OtlpTraces {
  resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[];
}
interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  status: { code: number; message?: string };
}

afterEach(async () => {
  await stop?.();
  stop = undefined;
  await collector?.close();
});

describe('without a collector', () => {
  test('nothing is recorded and the trace goes on as it came', () => {
    expect(startRequestSpan(given, true, start)).toBeUndefined();
    expect(startCausedSpan(given, start)).toBeUndefined();
  });
});

describe('with a collector', () => {
  test('a request continues the trace of its caller, and its work is below it', async () => {
    await trace(1);
    const request = startRequestSpan(given, true, start)!;
    const caused = startCausedSpan(request.traceparent, () => ({
      ...start(),
      name: 'process',
      kind: 'consumer',
    }))!;
    await expect(inSpan(caused, () => Promise.reject(new TypeError('no')))).rejects.toThrow('no');
    request.end({ 'http.response.status_code': 200 });
    request.end(); // once is enough
    const spans = await collected();
    expect(collector!.requests[0]).toMatchObject({
      path: '/v1/traces',
      headers: { authorization: 'Bearer collector' },
    });
    const [below, above] = [
      spans.find(({ name }) => name === 'process'),
      spans.find(({ name }) => name !== 'process'),
    ];
    expect(spans).toHaveLength(2);
    expect(above).toMatchObject({ traceId: TRACE, parentSpanId: 'b7ad6b7169203331', kind: 2 });
    expect(below).toMatchObject({ traceId: TRACE, parentSpanId: above!.spanId, kind: 5 });
    expect(below!.status).toEqual({ code: 2, message: 'TypeError' });
  });

  test('a request without a trace begins one', async () => {
    await trace(1);
    startRequestSpan(given, false, start)!.end();
    const [span] = await collected();
    expect(span!.traceId).not.toBe(TRACE);
    expect(span!.parentSpanId ?? '').toBe('');
  });

  test('a caller decides that its trace is not recorded, the ratio that it is', async () => {
    await trace(0.5);
    const unsampled = given.replace(/01$/, '00');
    const rare = `00-${TRACE.slice(0, 24)}ffffffff-b7ad6b7169203331-01`;
    for (const traceparent of [unsampled, rare]) {
      const span = startRequestSpan(traceparent, true, start)!;
      expect(span.traceparent).toBe(traceparent.replace(/01$/, '00'));
      expect(startCausedSpan(span.traceparent, start)).toBeUndefined();
      span.end();
    }
    expect(await collected()).toEqual([]);
  });

  test('a collector that does not answer holds nothing up', async () => {
    await trace(1);
    collector!.script('reset', 'reset', 'reset');
    startRequestSpan(given, true, start)!.end();
    const before = performance.now();
    await stop!();
    expect(performance.now() - before).toBeLessThan(10_000);
  });
});
