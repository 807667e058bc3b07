// The error responses of /openapi.json. Every status is described once, under
// `components.responses`; operations refer to it, and name their own codes where these are fewer.
import { STATUS_CODES } from 'node:http';
import { codes, type Code, type Dialect } from '@parley/envelopes';
import type { Endpoint, Face } from './endpoint.ts';
import type { ResponseHeader } from './known-headers.ts';

/** Error codes that any endpoint can return, by whether it takes a body. */
const ALWAYS: readonly Code[] = [
  'invalid_request',
  'unauthorized',
  'insufficient_scope',
  'organization_mismatch',
  'rate_limited',
  'internal',
  'unavailable',
];
const WITH_BODY: readonly Code[] = ['request_timeout', 'payload_too_large', 'unsupported_media_type'];

/** Headers of error answers. */
const ERROR_HEADERS: Partial<Readonly<Record<Code, ResponseHeader>>> = {
  unauthorized: 'WWW-Authenticate',
  idempotency_in_progress: 'Retry-After',
  rate_limited: 'Retry-After',
  concurrency_limited: 'Retry-After',
  unavailable: 'Retry-After',
};

/** Facts of a service: whether it has limits and bound keys. */
export interface ServiceFacts {
  readonly limited: boolean;
  readonly binds: boolean;
}

/** The codes with one status that operations with one dialect can return. */
interface SharedError {
  readonly status: number;
  readonly dialect: Dialect;
  readonly codes: Set<Code>;
}

/** By component name. */
export type SharedErrors = ReadonlyMap<string, SharedError>;

/** An endpoint on one face. */
export interface OperationRow {
  readonly endpoint: Endpoint;
  readonly face: Face;
  readonly dialect: Dialect;
}

export function collectErrors(
  rows: readonly OperationRow[],
  serviceDialect: Dialect,
  facts: ServiceFacts,
): SharedErrors {
  const shared = new Map<string, SharedError>();
  for (const row of rows) {
    for (const [status, list] of groupByStatus(row, facts)) {
      const name = nameError(status, row.dialect, serviceDialect);
      const error = shared.get(name) ?? { status, dialect: row.dialect, codes: new Set() };
      for (const code of list) error.codes.add(code);
      shared.set(name, error);
    }
  }
  return shared;
}

/** By status: a reference to the shared response. */
export function referToErrors(row: OperationRow, shared: SharedErrors, facts: ServiceFacts) {
  const { dialect } = row;
  return Object.fromEntries(
    [...groupByStatus(row, facts)].map(([status, list]) => {
      const [name, { codes: all }] = [...shared].find(
        ([, error]) => error.status === status && error.dialect === dialect,
      )!;
      const $ref = `#/components/responses/${name}`;
      const isSubset = list.length < all.size;
      return [String(status), isSubset ? { $ref, description: describeCodes(dialect, list) } : { $ref }];
    }),
  );
}

/** `components.responses`. */
export function describeErrors(
  shared: SharedErrors,
  describeHeaders: (names: ReadonlySet<ResponseHeader>) => Record<string, { $ref: string }>,
) {
  return Object.fromEntries(
    [...shared].map(([name, { dialect, codes: all }]) => {
      const list = [...all];
      return [
        name,
        {
          description: describeCodes(dialect, list),
          headers: describeHeaders(new Set(list.flatMap((code) => ERROR_HEADERS[code] ?? []))),
          content: { [dialect.errorContentType.split(';')[0]!]: { schema: dialect.errorSchema } },
        },
      ];
    }),
  );
}

/** `NotFound`; in another dialect than the service's, `OpenAiNotFound`. */
function nameError(status: number, { errorSchema }: Dialect, serviceDialect: Dialect): string {
  const title = STATUS_CODES[status]!.replaceAll(' ', '');
  if (errorSchema === serviceDialect.errorSchema) return title;
  return `${errorSchema.meta()!.id!.replace(/Error$/, '')}${title}`;
}

function groupByStatus(row: OperationRow, facts: ServiceFacts): Map<number, Code[]> {
  const byStatus = new Map<number, Code[]>();
  for (const code of new Set(listCodes(row, facts))) {
    byStatus.set(codes[code].status, [...(byStatus.get(codes[code].status) ?? []), code]);
  }
  return byStatus;
}

function listCodes({ endpoint, face }: OperationRow, { limited, binds }: ServiceFacts): Code[] {
  return [
    ...ALWAYS,
    ...(endpoint.endUsers || face !== 'v1' ? [] : (['not_for_end_users'] as const)),
    ...(binds && !endpoint.boundKeys ? (['not_for_bound_keys'] as const) : []),
    ...(limited ? (['concurrency_limited'] as const) : []),
    ...(endpoint.body ? WITH_BODY : []),
    ...(endpoint.params ? (['not_found'] as const) : []),
    ...endpoint.refusals,
  ];
}

/** As callers of this face read them. Where the wire has no codes, only the meanings. */
function describeCodes({ spellCode }: Dialect, list: readonly Code[]): string {
  return list
    .map((code) => (spellCode ? `\`${spellCode(code)}\`: ${codes[code].meaning}` : codes[code].meaning))
    .join('\n\n');
}
