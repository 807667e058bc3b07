// Two tables that every service must pass, made from its own /openapi.json, so that a new route is in them by itself:
// each kind of caller against each operation, and another organisation's admin against each resource. Both give a list of what is
// wrong, empty when nothing is.
import { randomUUID } from 'node:crypto';
import { raise } from '@parley/alerts';
import { SCOPES, type Scope } from '@parley/http';
import type { Platform } from '@parley/platform';
import { identityToken } from './identity-token.ts';
import type { ServiceUnderTest } from './service-under-test.ts';

type Service = Pick<ServiceUnderTest<Platform>, 'server' | 'deps' | 'issueKey'>;

export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With its face: `/v1/bots/{id}`. */
  readonly path: string;
  /** As the endpoint's row spells it, on every face. */
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

/** Every operation that takes a Bearer credential, as the service itself says; or every one. */
export async function operationsOf(
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

/** How the reference says that an operation is open to them. */
const FOR_END_USERS = 'End users may call it.';

/** docs/platform.md#scopes: GET reads, DELETE deletes, the rest writes; keys, alerts and the audit log are for admins. `exceptions`: by operation id. */
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

/** By operation id: all the scopes that it needs. */
type ScopeExceptions = Readonly<Record<string, Scope | readonly Scope[]>>;

const CALLERS = 'access-matrix';

/** A kind of caller. Identity tokens are none on the product face. */
interface Kind {
  readonly name: string;
  readonly credential: string;
  readonly isKey: boolean;
  may(needed: readonly (Scope | 'any')[], operationId: string): boolean;
}

async function kindsOfCallers({ issueKey }: Service, endUsers: readonly string[]): Promise<Kind[]> {
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
 * Each kind of caller calls each operation: 403 or not, by the rule, and as the reference says. Nothing needs to exist: who calls is
 * looked at before anything else. `endUsers`: the operations that are about what is a person's own.
 */
export async function scopeProblems(
  service: Service,
  exceptions: ScopeExceptions = {},
  endUsers: readonly string[] = [],
): Promise<string[]> {
  const operations = await operationsOf(service);
  const problems = [...Object.keys(exceptions), ...endUsers]
    .filter((id) => !operations.some(({ operationId }) => operationId === id))
    .map((id) => `${id} is an exception, and there is no such operation`);
  const kinds = await kindsOfCallers(service, endUsers);
  const call = callOf(service);
  for (const operation of operations) {
    const needed = scopeByRule(operation, exceptions);
    for (const scope of needed) {
      if (!operation.description.includes(`\`${scope}\``))
        problems.push(`${nameOf(operation)}: the reference does not say that it needs ${scope}`);
    }
    const forKeysOnly = !operation.path.startsWith('/v1/');
    if (
      !forKeysOnly &&
      endUsers.includes(operation.operationId) !== operation.description.includes(FOR_END_USERS)
    ) {
      problems.push(`${nameOf(operation)}: the reference is wrong about end users`);
    }
    const path = operation.path.replaceAll(/\{\w+\}/g, 'none');
    for (const kind of kinds) {
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
          `${nameOf(operation)} by ${kind.name}: ${status}, expected is ${refusal ?? 'that it may'}`,
        );
      }
    }
  }
  return problems;
}

export interface TenantMatrix {
  /**
   * How to make what a path parameter names, by the segment before it: `bots` for `/bots/{bot_id}`. Makes something new for
   * `organizationId` at each call and gives its id; `known` are the parameters before it, by their segments.
   */
  readonly resources: Readonly<
    Record<string, (organizationId: string, known: Readonly<Record<string, string>>) => Promise<string>>
  >;
  /** Bodies that an operation accepts, by operation id, where `{}` is not one. */
  readonly bodies?: Readonly<Record<string, object>>;
  /** Query strings that an operation needs, by operation id: `?since=…`. */
  readonly queries?: Readonly<Record<string, string>>;
  /** Operations that make what their path names where it is not there: what they answer is the caller's own. */
  readonly makers?: readonly string[];
  /** Tables that change by themselves, such as counts of requests. */
  readonly ignoredTables?: readonly string[];
}

const OWNER = 'matrix-owner';
const RIVAL = 'matrix-rival';

/**
 * Each operation on something that exists, called by an admin of another organisation: 404, and not a row of the owner's has
 * changed. The owner then makes the same request and must not get 404: so it was there.
 */
export async function otherTenantProblems(service: Service, given: TenantMatrix): Promise<string[]> {
  const alerts = (organizationId: string) => makeAlert(service, organizationId);
  const matrix = { ...given, resources: { alerts, ...given.resources } };
  const problems: string[] = [];
  const keys = { owner: await service.issueKey(OWNER), rival: await service.issueKey(RIVAL) };
  const operations = (await operationsOf(service)).filter(({ path }) => path.includes('{'));
  const rowsOf = await rowsReader(service, matrix.ignoredTables);
  const call = callOf(service);
  for (const operation of operations) {
    const found = await problemsOfOne(matrix, operation, keys, call, rowsOf);
    problems.push(...found.map((problem) => `${nameOf(operation)}: ${problem}`));
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
  const missing = parametersOf(path).filter((segment) => !matrix.resources[segment]);
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
function parametersOf(path: string): string[] {
  return [...path.matchAll(PARAMETER)].map(([, segment]) => segment!);
}

const PARAMETER = /([\w-]+)\/\{\w+\}/g;

/** The path with something that exists in the place of every parameter. */
export async function pathToSomething(
  path: string,
  { resources }: TenantMatrix,
  organizationId = OWNER,
): Promise<string> {
  const known: Record<string, string> = {};
  for (const segment of parametersOf(path)) known[segment] = await resources[segment]!(organizationId, known);
  return path.replaceAll(PARAMETER, (_, segment: string) => `${segment}/${known[segment]}`);
}

/** Digests of an organisation's rows, by table. */
type Rows = (organizationId: string) => Promise<Record<string, string>>;

/** Reads those digests of every table that has an organisation. */
async function rowsReader({ deps }: Pick<Service, 'deps'>, ignored: readonly string[] = []): Promise<Rows> {
  const tables = await deps.sql<{ name: string }>(
    `SELECT table_name::text AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'organization_id'`,
  );
  // last_used_at of a key is written now and then, by the owner's own requests.
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

/** A request with a key: its status, and how its answer begins. An answer that goes on is not waited for. */
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

function nameOf({ method, path }: Operation): string {
  return `${method.toUpperCase()} ${path}`;
}

/** Raises an alert, which every service has, and gives its id. */
async function makeAlert({ deps: { sql } }: Pick<Service, 'deps'>, organizationId: string): Promise<string> {
  const subject = randomUUID();
  await raise(sql, organizationId, { kind: 'work_quarantined', subject, message: 'Hello' });
  const [row] = await sql<{ id: string }>('SELECT id FROM alerts WHERE subject = $1', [subject]);
  return row!.id;
}
