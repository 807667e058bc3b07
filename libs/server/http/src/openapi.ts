// GET /openapi.json: built from the endpoint table and schemas that the router uses, so it cannot
// drift.
import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { Dialect } from '@parley/envelopes';
import type { Endpoint, Face } from './endpoint.ts';
import {
  LIMIT_HEADERS,
  REQUEST_HEADERS,
  getMaxHeaderLength,
  RESPONSE_HEADERS,
  type HeaderDescription,
  type RequestHeader,
  type ResponseHeader,
} from './known-headers.ts';
import {
  collectErrors,
  describeErrors,
  referToErrors,
  type OperationRow,
  type ServiceFacts,
  type SharedErrors,
} from './openapi-errors.ts';
import { shareParameters } from './openapi-parameters.ts';

/** One face of a service: where its endpoints are mounted, and which credentials it takes. */
export interface FaceTable {
  readonly face: Face;
  /** Path prefix: `/v1`, `/product/v1`, `/openai/v1`. */
  readonly base: string;
  readonly endpoints: readonly Endpoint[];
  /** Default: the dialect of the service. */
  readonly dialect?: Dialect;
}

export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
}

/** What the service sends to its customers' addresses. */
export interface WebhookDescription {
  readonly event: string;
  readonly operationId: string;
  readonly summary: string;
  readonly headers: z.ZodObject;
  readonly body: z.ZodType;
  /** A body that fits. */
  readonly example?: object;
}

/** `limited`: the service has limits (limit.ts). */
export function buildOpenApi(
  info: ApiInfo,
  dialect: Dialect,
  faces: readonly FaceTable[],
  { limited = false, webhooks = [] }: { limited?: boolean; webhooks?: readonly WebhookDescription[] } = {},
) {
  const paths: ZodOpenApiPathsObject = {};
  // Only services with bound keys mention them.
  const binds = faces.some(({ endpoints }) => endpoints.some(({ boundKeys }) => boundKeys));
  const facts: ServiceFacts = { limited, binds };
  const rows = faces.flatMap(({ face, base, endpoints, dialect: own = dialect }) =>
    endpoints.map((endpoint) => ({ endpoint, face, base, dialect: own })),
  );
  const errors = collectErrors(rows, dialect, facts);
  const kind: Kind = { limited, binds, errors, sent: new Set() };
  for (const row of rows) {
    const path = (paths[`${row.base}${row.endpoint.path}`] ??= {});
    path[row.endpoint.method] = toOperation(row, kind);
  }
  const responses = describeErrors(errors, (names) => describeResponseHeaders(names, kind));
  const document = createDocument({
    openapi: '3.1.0',
    info: { ...info, contact: { name: 'Parley' }, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [
      {
        url: '/',
        description: 'The address that this document was read from: local or production',
        'x-internal': false,
      },
    ],
    tags: listTags(rows, webhooks.length > 0),
    paths,
    ...(webhooks.length > 0 && faces.length > 0 ? { webhooks: describeWebhooks(webhooks) } : {}),
    components: {
      responses,
      headers: Object.fromEntries([...kind.sent].map((name) => [name, toHeader(name)])),
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'A product API key.' },
        identityToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'An identity token, checked as RFC8725 demands.',
        },
        ...ownSchemes(faces),
      },
    },
  });
  const parameters = shareParameters({ ...document.paths, ...document.webhooks });
  return { ...document, components: { ...document.components, parameters } };
}

function describeWebhooks(webhooks: readonly WebhookDescription[]) {
  return Object.fromEntries(
    webhooks.map(({ event, operationId, summary, headers, body }) => [
      event,
      {
        post: {
          operationId,
          summary,
          tags: ['webhooks'],
          security: [],
          requestParams: { header: headers },
          requestBody: { content: { 'application/json': { schema: body } }, required: true },
          responses: { '2XX': { description: 'Received. Any other answer counts as a failed attempt' } },
        },
      },
    ]),
  );
}

interface Kind extends ServiceFacts {
  readonly errors: SharedErrors;
  /** Response headers that were described so far. */
  readonly sent: Set<ResponseHeader>;
}

function toOperation(row: OperationRow, kind: Kind): ZodOpenApiOperationObject {
  const { endpoint, face, dialect } = row;
  return {
    // The first two faces share use cases, but an operation id must be unique in a document.
    operationId: face === 'product' ? `${endpoint.operationId}OnProductFace` : endpoint.operationId,
    summary: endpoint.summary,
    tags: [toTag(endpoint)],
    description:
      endpoint.credential && !endpoint.credential.orBearer
        ? 'Needs no API key: the request has a credential of its own.'
        : describeAccess(endpoint, face),
    security: toSecurity(endpoint, face),
    requestParams: {
      ...(endpoint.params ? { path: endpoint.params as z.ZodObject } : {}),
      ...(endpoint.query ? { query: endpoint.query as z.ZodObject } : {}),
      ...(endpoint.reads ? { header: describeRequestHeaders(endpoint.reads) } : {}),
    },
    ...(endpoint.body
      ? {
          requestBody: {
            content: { 'application/json': { schema: endpoint.body } },
            required: needsBody(endpoint),
          },
        }
      : {}),
    responses: { ...successes(endpoint, dialect, kind), ...referToErrors(row, kind.errors, kind) },
  };
}

function listTags(rows: readonly OperationRow[], sends: boolean): { name: string; description: string }[] {
  const names = rows.map(({ endpoint }) => toTag(endpoint));
  return [...new Set([...names, ...(sends ? ['webhooks'] : [])])].map((name) => ({
    name,
    description:
      name === 'webhooks' && sends ? 'Webhooks and the events that they get' : `Paths below \`/${name}\``,
  }));
}

/** The first part of the path. */
function toTag({ path }: Endpoint): string {
  return path.split('/')[1]!;
}

/** Only `/v1` takes identity tokens, so no other face has end users. */
function describeAccess(endpoint: Endpoint, face: Face): string {
  const { scope, alsoScope, endUsers, boundKeys, portal } = endpoint;
  const forWhom = face !== 'v1' ? '' : endUsers ? ' End users may call it.' : ' Not for end users.';
  const both =
    alsoScope === undefined ? `the scope \`${scope}\`` : `the scopes \`${scope}\` and \`${alsoScope}\``;
  const needed = scope === 'any' ? 'Needs no scope: any valid credential may call it.' : `Needs ${both}.`;
  const bound = boundKeys ? ' A key bound to bots may call it.' : '';
  return `${needed}${forWhom}${bound}${portal ? ' A portal link may call it.' : ''}`;
}

function toSecurity({ credential }: Endpoint, face: Face): Record<string, string[]>[] {
  const bearer: Record<string, string[]>[] =
    face === 'v1' ? [{ apiKey: [] }, { identityToken: [] }] : [{ apiKey: [] }];
  if (!credential) return bearer;
  if (!credential.scheme) return [];
  const own = { [credential.scheme.name]: [] };
  return credential.orBearer ? [...bearer, own] : [own];
}

/** The schemes of endpoints with a credential other than Bearer. */
function ownSchemes(faces: readonly FaceTable[]) {
  const own = faces.flatMap(({ endpoints }) =>
    endpoints.flatMap(({ credential }) => credential?.scheme ?? []),
  );
  return Object.fromEntries(
    own.map(({ name, in: place, parameter, description }) => [
      name,
      { type: 'apiKey' as const, in: place, name: parameter, description },
    ]),
  );
}

/**
 * An absent body is `{}` (docs/platform.md#wire-conventions), so it is optional wherever `{}` is
 * valid.
 */
function needsBody(endpoint: Endpoint): boolean {
  return endpoint.body?.safeParse({}).success === false;
}

function describeRequestHeaders(names: readonly RequestHeader[]): z.ZodObject {
  return z.object(
    Object.fromEntries(
      names.map((name) => [
        name,
        z.string().max(getMaxHeaderLength(name)).optional().describe(REQUEST_HEADERS[name].description),
      ]),
    ),
  );
}

function toHeader(name: ResponseHeader) {
  const { description, maximum }: HeaderDescription = RESPONSE_HEADERS[name];
  if (maximum === undefined) return { description, schema: { type: 'string' as const } };
  return { description, schema: { type: 'integer' as const, minimum: 0, maximum } };
}

/** As references, since every answer has some. */
function describeResponseHeaders(names: Iterable<ResponseHeader>, { limited, sent }: Kind) {
  const all: ResponseHeader[] = ['X-Request-Id', ...names, ...(limited ? LIMIT_HEADERS : [])];
  for (const name of all) sent.add(name);
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function successes(endpoint: Endpoint, dialect: Dialect, kind: Kind) {
  const headers = describeResponseHeaders(endpoint.sends ?? [], kind);
  return Object.fromEntries(
    Object.entries(endpoint.replies).map(([status, schema]) => [
      status,
      schema === null
        ? { description: 'Done, without content', headers }
        : {
            description: 'Success',
            headers,
            content: endpoint.produces
              ? Object.fromEntries(endpoint.produces.map((type) => [type, { schema }]))
              : {
                  'application/json': { schema: dialect.successSchema(schema) },
                  ...Object.fromEntries(
                    (endpoint.alternatives ?? []).map((type) => [type, { schema: z.string() }]),
                  ),
                },
          },
    ]),
  );
}
