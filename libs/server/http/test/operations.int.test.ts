// For operators and tools: /health, /ready, /metrics, /openapi.json and /docs, without a
// credential.
import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { flowBuilderDialect, notificationsDialect, voiceApiDialect } from '@parley/envelopes';
import { capturedLog, resolveReference } from '@parley/testing';
import { tinyApi } from './tiny-api.ts';

describe('/health and /ready', () => {
  test('alive and ready', async () => {
    const { url } = await tinyApi(flowBuilderDialect, capturedLog());
    const health = await supertest(url).get('/health');
    expect([health.status, health.body]).toEqual([200, { status: 'ok', store: { ready: true } }]);
    const ready = await supertest(url).get('/ready');
    expect([ready.status, ready.body]).toEqual([200, { status: 'ready' }]);
  });

  test.each<[string, () => Promise<boolean>]>([
    ['not ready', async () => false],
    ['not able to tell', () => Promise.reject(new Error('Postgres is away'))],
  ])('%s: /ready is 503, /health stays 200', async (_how, ready) => {
    const { url } = await tinyApi(flowBuilderDialect, capturedLog(), { ready });
    const response = await supertest(url).get('/ready');
    expect([response.status, response.body]).toEqual([503, { status: 'not_ready' }]);
    expect((await supertest(url).get('/health')).status).toBe(200);
  });

  test('a process that cannot recover: /health is 503, so that it is replaced', async () => {
    const { url } = await tinyApi(flowBuilderDialect, capturedLog(), { isAlive: () => false });
    const response = await supertest(url).get('/health');
    expect([response.status, response.body]).toEqual([503, { status: 'ok', store: { ready: true } }]);
    expect((await supertest(url).get('/ready')).status).toBe(200);
  });

  test('a process that only consumes queues serves them, and no endpoint', async () => {
    const { url } = await tinyApi(flowBuilderDialect, capturedLog(), { faces: [] });
    expect((await supertest(url).get('/health')).status).toBe(200);
    expect((await supertest(url).get('/v1/notes').set('authorization', 'Bearer acme:read')).status).toBe(404);
  });
});

describe('/metrics', () => {
  test('Prometheus text, and a failing collector loses only its own metric', async () => {
    const { url, metrics } = await tinyApi(flowBuilderDialect, capturedLog());
    metrics.gauge('queue_depth', 'Jobs waiting', [], () => Promise.reject(new Error('Redis is away')));
    await supertest(url).get('/v1/notes').set('authorization', 'Bearer acme:read');
    const response = await supertest(url).get('/metrics');
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(response.text).toContain(
      'http_request_duration_seconds_count{service="tiny",method="GET",route="/v1/notes",status="200"} 1',
    );
    expect(response.text).not.toMatch(/^queue_depth/m);
  });

  test('OpenMetrics for a scraper that takes it: what is no comment, and ends', async () => {
    const { url, metrics } = await tinyApi(flowBuilderDialect, capturedLog());
    metrics.gauge('queue_depth', 'Jobs waiting', [], () => Promise.reject(new Error('Redis is away')));
    metrics.counter('notes_total', 'Notes', []).inc();
    await supertest(url).get('/v1/notes').set('authorization', 'Bearer acme:read');
    const accept =
      'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';
    const { headers, text } = await supertest(url).get('/metrics').set({ accept });
    expect(headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(text).toContain('# TYPE notes counter\nnotes_total{service="tiny"} 1\n');
    expect(text).toMatch(/route="\/v1\/notes",status="200"[^\n]*\} 1\n/);
    expect(text.split('\n').filter((line) => !/^(# (HELP|TYPE) \w+ |\w+\{|# EOF$|$)/.test(line))).toEqual([]);
    expect(text).toMatch(/[^\n]\n# EOF\n$/);
    expect(text).not.toContain('queue_depth');
    expect(text).not.toContain('trace_id'); // nothing is traced
  });
});

type Schema = { $ref?: string } & Record<string, unknown>;
interface Operation {
  operationId: string;
  summary: string;
  security: Record<string, unknown>[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<
    string,
    { description: string; headers: Record<string, unknown>; content?: Record<string, { schema: Schema }> }
  >;
}
interface Document {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: Record<
    'schemas' | 'responses' | 'parameters' | 'headers' | 'securitySchemes',
    Record<string, object>
  >;
}

/** Resolves its references; a description beside a reference replaces the shared one. */
function resolved(document: Document, operation: Operation): Operation {
  const resolve = <Part extends object>(part: Part): Part => ({
    ...resolveReference(document, part),
    ...part,
  });
  return {
    ...operation,
    parameters: (operation.parameters ?? []).map(resolve),
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => [status, resolve(response)]),
    ),
  };
}

describe.each([
  ['flow-builder', flowBuilderDialect],
  ['voice-api', voiceApiDialect],
  ['notifications', notificationsDialect],
])('/openapi.json of %s', (_name, dialect) => {
  const api = tinyApi(dialect, capturedLog());
  const read = async () => {
    const response = await supertest((await api).url).get('/openapi.json');
    expect(response.headers['content-type']).toContain('application/json');
    return response.body as Document;
  };
  const operations = async () => {
    const document = await read();
    return Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        path,
        method,
        operation: resolved(document, operation),
      })),
    );
  };

  test('is OpenAPI 3.1 with exactly the routed endpoints', async () => {
    const { endpoints } = await api;
    const document = await read();
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Tiny', version: '1.0.0' } });
    const described = (await operations()).map(({ path, method }) => `${method} ${path}`).sort();
    const routed = ['/v1', '/product/v1'].flatMap((base) =>
      endpoints.map((endpoint) => `${endpoint.method} ${base}${endpoint.path}`),
    );
    expect(described).toEqual(routed.sort());
  });

  test('every described endpoint answers, with a declared status', async () => {
    const { url } = await api;
    for (const { path, method, operation } of await operations()) {
      const response = await supertest(url)
        [method as 'get'](path.replace('{note_id}', 'x'))
        .set('authorization', 'Bearer acme:admin');
      expect([path, Object.keys(operation.responses)]).toEqual([
        path,
        expect.arrayContaining([String(response.status)]),
      ]);
    }
  });

  test('operations are complete: unique ids, path parameters, a description for each answer', async () => {
    const all = await operations();
    const ids = all.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, operation } of all) {
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      expect(declared.map(({ name, required }) => [name, required])).toEqual(
        inPath.map((name) => [name, true]),
      );
      for (const [status, { description }] of Object.entries(operation.responses)) {
        expect(status).toMatch(/^[2-5]\d\d$/);
        expect(description).not.toBe('');
      }
      expect(operation.summary).not.toBe('');
    }
  });

  test('every reference resolves, and every component is used', async () => {
    const document = await read();
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]!);
    expect(references.length).toBeGreaterThan(0);
    const named = new Set(
      (['schemas', 'responses', 'parameters', 'headers'] as const).flatMap((kind) =>
        Object.keys(document.components[kind]).map((name) => `#/components/${kind}/${name}`),
      ),
    );
    expect(new Set(references)).toEqual(named);
    for (const { operation } of await operations()) {
      for (const scheme of operation.security.flatMap(Object.keys)) {
        expect(document.components.securitySchemes).toHaveProperty(scheme);
      }
    }
  });

  test('describes the server: idempotency, bodies, credentials of each face, error bodies', async () => {
    const document = await read();
    const { paths } = document;
    const create = resolved(document, paths['/v1/notes']!['post']!);
    expect(create.parameters).toContainEqual(
      expect.objectContaining({ name: 'Idempotency-Key', in: 'header' }),
    );
    expect(create.requestBody!.required).toBe(true);
    expect(paths['/v1/echo']!['put']!.requestBody!.required).toBe(false);
    expect(create.security).toEqual([{ apiKey: [] }, { identityToken: [] }]);
    expect(paths['/product/v1/notes']!['post']!.security).toEqual([{ apiKey: [] }]);
    const errorType = dialect.errorContentType.split(';')[0]!;
    expect(Object.keys(create.responses)).toEqual(
      expect.arrayContaining(['201', '400', '401', '403', '409', '413', '415', '422', '429', '500', '503']),
    );
    const { description, headers } = create.responses['409']!;
    expect(description).toContain('A request with this Idempotency-Key is still running');
    // As on the wire; notifications have no codes there.
    const code = dialect.spellCode?.('idempotency_in_progress');
    if (code) expect(description).toContain(`\`${code}\``);
    else expect(description).not.toContain('`');
    expect(headers).toMatchObject({ 'Retry-After': {}, 'X-Request-Id': {} });
    const sent = Object.keys(create.responses['201']!.headers);
    expect(sent).toEqual(['X-Request-Id', 'Location', 'Idempotent-Replayed']);
    expect(create.responses['409']!.content).toHaveProperty([errorType]);
    expect(paths['/v1/document']!['get']!.responses['200']!.content).toEqual({
      'text/csv': { schema: { type: 'string' } },
    });
    expect(paths['/v1/notes/{note_id}']!['delete']!.responses['204']).not.toHaveProperty('content');
  });

  test('each error is described once; an operation with fewer codes names its own', async () => {
    const { paths, components } = await read();
    expect(Object.keys(components.responses).length).toBeLessThanOrEqual(13);
    const all = Object.values(paths).flatMap((item) => Object.values(item));
    for (const { responses } of all)
      for (const [status, response] of Object.entries(responses))
        if (Number(status) >= 400) expect(Object.keys(response)).not.toContain('content');
    const forbidden = (path: string) => paths[path]!['get']!.responses['403'];
    expect(forbidden('/v1/notes')).toEqual({ $ref: '#/components/responses/Forbidden' });
    expect(forbidden('/product/v1/notes')).toEqual({
      $ref: '#/components/responses/Forbidden',
      description: expect.not.stringContaining('end user'),
    });
  });
});

describe('/docs', () => {
  test('needs only this server: its files are here, and its policy allows no other', async () => {
    const { url } = await tinyApi(flowBuilderDialect, capturedLog());
    const page = await supertest(url).get('/docs');
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toContain('text/html');
    const policy = page.headers['content-security-policy'] as string;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/https?:|\*/);

    const references = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
    expect(references.length).toBeGreaterThanOrEqual(3);
    for (const reference of references) {
      expect(reference).toMatch(/^docs\//);
      const asset = await supertest(url).get(`/${reference}`);
      expect([reference, asset.status]).toEqual([reference, 200]);
      expect(asset.headers['content-type']).toMatch(reference.endsWith('.css') ? /css/ : /javascript/);
      expect(asset.headers['content-length']).not.toBe('0');
    }
    const start = await supertest(url).get('/docs/start.js');
    const [, described] = /url: '([^']+)'/.exec(start.text)!;
    expect((await supertest(url).get(`/${described}`)).status).toBe(200);
    // or the page would show a badge from the network
    expect(start.text).toContain('validatorUrl: null');
  });
});
