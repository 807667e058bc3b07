// Two checks for every service, built from its /openapi.json, so that they include new routes: each
// kind of caller against each operation, and another organisation's admin against each resource.
// Both return a list of problems.
import { randomUUID } from 'node:crypto';
import { raise } from '@parley/platform/alerts';
import { SCOPES, type Scope } from '@parley/server/http';
import type { Platform } from '@parley/platform';
import { identityToken } from './identity-token.ts';
import type { ServiceUnderTest } from './service-under-test.ts';

type Service = Pick<ServiceUnderTest<Platform>, 'server' | 'deps' | 'issueKey'>;

export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With its face: `/v1/bots/{id}`. */
  readonly path: string;
  /** As in the endpoint's row, on every face. */
  readonly operationId: string;
  readonly description: string;
  readonly takesBody: boolean;
}

interface OpenApi {
  readonly paths: Record<
    string,
    Record<string, { operationId: string; description?: string; requestBody?: object; security: object[] }>
  >;
}

/**
 * Every operation that takes a Bearer credential, as the service describes it; or every operation.
 */
export async function listOperations(
  { server }: Pick<Service, 'server'>,
  { everyCredential = false } = {},
): Promise<Operation[]> {
  const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApi;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => everyCredential || security.some((scheme) => 'apiKey' in scheme))
      .map(([method, operation]) => ({
        method: method as Operation['method'],
        path,
        operationId: operation.operationId.replace(/OnProductFace$/, ''),
        description: operation.description ?? '',
        takesBody: operation.requestBody !== undefined,
      })),
  );
}

/** How the reference says that an operation is open to end users. */
const FOR_END_USERS = 'End users may call it.';

/**
 * docs/platform.md#scopes: GET reads, DELETE deletes, the rest writes; keys, alerts and the audit
 * log are for admins. `exceptions`: by operation id.
 */
export function scopeByRule(
  { method, path, operationId }: Pick<Operation, 'method' | 'path' | 'operationId'>,
  exceptions: ScopeExceptions = {},
): readonly (Scope | 'any')[] {
  const exception = exceptions[operationId];
  if (exception) return [exception].flat();
  if (path.endsWith('/api-keys/me')) return ['any'];
  if (/\/(api-keys|audit-log|alerts)(\/|$)/.test(path)) return ['admin'];
  return [method === 'get' ? 'read' : method === 'delete' ? 'delete' : 'write'];
}

/** All scopes that an operation needs, by operation id. */
type ScopeExceptions = Readonly<Record<string, Scope | readonly Scope[]>>;

const CALLERS = 'access-matrix';

/** A kind of caller. The product face takes no identity tokens. */
interface CallerKind {
  readonly name: string;
  readonly credential: string;
  readonly isKey: boolean;
  /** The only identity token that a face for keys is tried with. */
  readonly isWhole?: true;
  may(needed: readonly (Scope | 'any')[], operationId: string): boolean;
}

async function kindsOfCallers({ issueKey }: Service, endUsers: readonly string[]): Promise<CallerKind[]> {
  const organization_id = CALLERS;
  const withScope = (scope: Scope) => ({
    may: (needed: readonly (Scope | 'any')[]) =>
      scope === 'admin' || needed.every((one) => one === 'any' || one === scope),
  });
  return Promise.all([
    ...SCOPES.map(async (scope) => ({
      name: `a key with ${scope} alone`,
      credential: await issueKey(CALLERS, [scope]),
      isKey: true,
      ...withScope(scope),
    })),
    ...SCOPES.map(async (scope) => ({
      name: `a program's identity token with ${scope} alone`,
      credential: await identityToken({ organization_id, scope }),
      isKey: false,
      ...withScope(scope),
    })),
    identityToken({ organization_id, sub: 'ann', scope: 'admin' }).then((credential) => ({
      name: 'a person who is admin',
      credential,
      isKey: false,
      isWhole: true as const,
      may: () => true,
    })),
    identityToken({ organization_id, sub: 'ben', scope: 'read write delete' }).then((credential) => ({
      name: 'an end user',
      credential,
      isKey: false,
      may: (_needed: readonly (Scope | 'any')[], operationId: string) => endUsers.includes(operationId),
    })),
  ]);
}

/**
 * Calls each operation as each kind of caller: 403 or not, by the rule and the reference. Needs no
 * resources, because the caller is checked first. `endUsers`: operations about a person's own data.
 */
export async function scopeProblems(
  service: Service,
  exceptions: ScopeExceptions = {},
  endUsers: readonly string[] = [],
): Promise<string[]> {
  const operations = await listOperations(service);
  const problems = [...Object.keys(exceptions), ...endUsers]
    .filter((id) => !operations.some(({ operationId }) => operationId === id))
    .map((id) => `${id} is an exception, and there is no such operation`);
  const kinds = await kindsOfCallers(service, endUsers);
  const call = callOf(service);
  for (const operation of operations) {
    const needed = scopeByRule(operation, exceptions);
    for (const scope of needed) {
      if (!operation.description.includes(scope === 'any' ? 'Needs no scope' : `\`${scope}\``))
        problems.push(`${formatName(operation)}: the reference does not say that it needs ${scope}`);
    }
    const forKeysOnly = !operation.path.startsWith('/v1/');
    if (
      !forKeysOnly &&
      endUsers.includes(operation.operationId) !== operation.description.includes(FOR_END_USERS)
    ) {
      problems.push(`${formatName(operation)}: the reference is wrong about end users`);
    }
    const path = operation.path.replaceAll(/\{\w+\}/g, 'none');
    for (const kind of kinds) {
      // A face for keys refuses tokens before it reads scopes. Refusals are limited per minute.
      if (forKeysOnly && !kind.isKey && !kind.isWhole) continue;
      const { status } = await call(
        kind.credential,
        operation.method,
        path,
        operation.takesBody ? {} : undefined,
      );
      const isKnown = kind.isKey || !forKeysOnly;
      const refusal = !isKnown ? 401 : kind.may(needed, operation.operationId) ? null : 403;
      const isRefused = status === 401 || status === 403;
      if (refusal === null ? isRefused || status >= 500 : status !== refusal) {
        problems.push(
          `${formatName(operation)} by ${kind.name}: ${status}, expected is ${refusal ?? 'that it may'}`,
        );
      }
    }
  }
  return problems;
}

export interface TenantMatrix {
  /**
   * Creates the resource of a path parameter, by the preceding segment: `bots` for
   * `/bots/{bot_id}`. Creates a new one for `organizationId` at each call and returns its id.
   * `known`: the earlier parameters, by their segments.
   */
  readonly resources: Readonly<
    Record<string, (organizationId: string, known: Readonly<Record<string, string>>) => Promise<string>>
  >;
  /** Valid bodies by operation id. Default: `{}`. */
  readonly bodies?: Readonly<Record<string, object>>;
  /** Required query strings by operation id: `?since=…`. */
  readonly queries?: Readonly<Record<string, string>>;
  /** Operations that succeed for any name: they create or certify what is the caller's own. */
  readonly makers?: readonly string[];
  /** Tables that change by themselves, such as counts of requests. */
  readonly ignoredTables?: readonly string[];
}

const OWNER = 'matrix-owner';
export const RIVAL = 'matrix-rival';

/**
 * Calls each operation on an existing resource as an admin of another organisation: 404, and no row
 * of the owner has changed. The owner's same request must not get 404, which proves that the
 * resource exists.
 */
export async function otherTenantProblems(service: Service, given: TenantMatrix): Promise<string[]> {
  const alerts = (organizationId: string) => makeAlert(service, organizationId);
  const matrix = { ...given, resources: { alerts, ...given.resources } };
  const problems: string[] = [];
  const keys = { owner: await service.issueKey(OWNER), rival: await service.issueKey(RIVAL) };
  const operations = (await listOperations(service)).filter(({ path }) => path.includes('{'));
  const rowsOf = await createRowsReader(service, matrix.ignoredTables);
  const call = callOf(service);
  for (const operation of operations) {
    const found = await problemsOfOne(matrix, operation, keys, call, rowsOf);
    problems.push(...found.map((problem) => `${formatName(operation)}: ${problem}`));
  }
  return problems;
}

async function problemsOfOne(
  matrix: TenantMatrix,
  { method, path, operationId, takesBody }: Operation,
  keys: { readonly owner: string; readonly rival: string },
  call: Call,
  rowsOf: Rows,
): Promise<string[]> {
  const missing = listParameters(path).filter((segment) => !matrix.resources[segment]);
  if (missing.length > 0) return [`say in \`resources\` how to make ${missing.join(' and ')}`];
  const target = (await pathToSomething(path, matrix)) + (matrix.queries?.[operationId] ?? '');
  const body = matrix.bodies?.[operationId] ?? (takesBody ? {} : undefined);

  const problems: string[] = [];
  const before = await rowsOf(OWNER);
  const foreign = await call(keys.rival, method, target, body);
  if (foreign.status === 400) {
    return [`say in \`bodies\` or \`queries\` what ${operationId} accepts: ${foreign.text}`];
  }
  const expected = matrix.makers?.includes(operationId) ? foreign.status < 300 : foreign.status === 404;
  if (!expected) problems.push(`${foreign.status} for another organisation, expected is 404`);
  const after = await rowsOf(OWNER);
  for (const table of Object.keys(after)) {
    if (after[table] !== before[table])
      problems.push(`another organisation changed the owner's rows of ${table}`);
  }
  const own = await call(keys.owner, method, target, body);
  if (own.status === 404 || own.status === 401 || own.status >= 500) {
    problems.push(`${own.status} for the owner, so the test proves nothing: ${own.text}`);
  }
  return problems;
}

/** `/v1/webhooks/{id}/deliveries/{delivery_id}` -> `webhooks`, `deliveries`. */
function listParameters(path: string): string[] {
  return [...path.matchAll(PARAMETER)].map(([, segment]) => segment!);
}

const PARAMETER = /([\w-]+)\/\{\w+\}/g;

/** The path with an existing resource for every parameter. */
export async function pathToSomething(
  path: string,
  { resources }: TenantMatrix,
  organizationId = OWNER,
): Promise<string> {
  const known: Record<string, string> = {};
  for (const segment of listParameters(path))
    known[segment] = await resources[segment]!(organizationId, known);
  return path.replaceAll(PARAMETER, (_, segment: string) => `${segment}/${known[segment]}`);
}

/** Digests of an organisation's rows, by table. */
type Rows = (organizationId: string) => Promise<Record<string, string>>;

/** Reads those digests of every table with an organisation. */
async function createRowsReader(
  { deps }: Pick<Service, 'deps'>,
  ignored: readonly string[] = [],
): Promise<Rows> {
  const tables = await deps.sql<{ name: string }>(
    `SELECT table_name::text AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'organization_id'`,
  );
  // last_used_at of a key changes by the owner's own requests.
  const digests = tables
    .filter(({ name }) => !ignored.includes(name))
    .map(
      ({ name }) =>
        `SELECT '${name}' AS name, md5(coalesce(string_agg(r, '' ORDER BY r), '')) AS digest
         FROM (SELECT (to_jsonb(t) - 'last_used_at')::text AS r FROM "${name}" t WHERE t.organization_id = $1) rows`,
    );
  return async (organizationId) => {
    const rows = await deps.sql<{ name: string; digest: string }>(digests.join(' UNION ALL '), [
      organizationId,
    ]);
    return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
  };
}

/**
 * A request with a key: its status, and the beginning of its answer. Does not wait for the end of a
 * stream.
 */
type Call = (
  key: string,
  method: Operation['method'],
  path: string,
  body: object | undefined,
) => Promise<{ status: number; text: string }>;

function callOf({ server }: Pick<Service, 'server'>): Call {
  return async (key, method, path, body) => {
    const response = await fetch(server.url + path, {
      method: method.toUpperCase(),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
      await response.body?.cancel();
      return { status: response.status, text: '' };
    }
    return { status: response.status, text: (await response.text()).slice(0, 300) };
  };
}

function formatName({ method, path }: Operation): string {
  return `${method.toUpperCase()} ${path}`;
}

/** Raises an alert, which every service has, and returns its id. */
async function makeAlert({ deps: { sql } }: Pick<Service, 'deps'>, organizationId: string): Promise<string> {
  const subject = randomUUID();
  await raise(sql, organizationId, { kind: 'work_quarantined', subject, message: 'Hello' });
  const [row] = await sql<{ id: string }>('SELECT id FROM alerts WHERE subject = $1', [subject]);
  return row!.id;
}
