// The generated tables of an app's README: its environment, endpoints and error codes.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { codes, type Code } from '@parley/envelopes';
import type { Endpoint, OwnCredential } from '@parley/server/http';
import { markdownTable } from '@parley/testing';

interface Variable {
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
}

/** Every variable that the service reads: name, default, meaning. */
export function environmentTable(config: z.ZodType): string {
  const schema = z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' });
  const required = new Set(schema.required);
  const rows = Object.entries((schema.properties ?? {}) as Record<string, Variable>).map(
    ([name, variable]) => [
      `\`${name}\``,
      required.has(name) ? '**required**' : defaultOf(variable),
      [variable.description ?? '', variable.enum ? `(${variable.enum.join(', ')})` : ''].join(' ').trim(),
    ],
  );
  return markdownTable(['variable', 'default', 'meaning'], rows);
}

function defaultOf({ default: value }: Variable): string {
  if (value === undefined) return '–';
  return Array.isArray(value) ? `\`${value.join(',')}\`` : `\`${JSON.stringify(value).replaceAll('"', '')}\``;
}

/**
 * Every endpoint of a face: method and path, its scope or other credential and whether end users
 * may call it, its purpose.
 */
export function endpointTable(base: string, endpoints: readonly Endpoint[]): string {
  return markdownTable(
    ['endpoint', 'scope', 'what it does'],
    endpoints.map((endpoint) => [
      `\`${endpoint.method.toUpperCase()} ${base}${endpoint.path}\``,
      describeAccess(endpoint),
      endpoint.summary,
    ]),
  );
}

function describeAccess({ scope, alsoScope, endUsers, credential }: Endpoint): string {
  const own = credential && describeCredential(credential);
  if (own && !credential.orBearer) return own;
  const scopes = alsoScope ? `${scope}, ${alsoScope}` : scope;
  return [scopes, endUsers && 'end users too', own && `or ${own}`].filter(Boolean).join('; ');
}

function describeCredential({ scheme }: OwnCredential): string {
  return scheme === null ? 'a token in the path' : `\`${scheme.parameter}\` in the ${scheme.in}`;
}

interface StoredDocument {
  readonly paths: Readonly<Record<string, object>>;
  readonly components: { readonly responses: Readonly<Record<string, { readonly description: string }>> };
}

/** The stored OpenAPI document of a service. */
export const readDocument = (file: URL): StoredDocument =>
  JSON.parse(readFileSync(file, 'utf8')) as StoredDocument;

/** Operations of a document that the README does not name. */
export function findUndocumented(readme: URL, document: StoredDocument): string[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const text = readFileSync(readme, 'utf8');
  return operations.filter((operation) => !text.includes(`\`${operation}\``));
}

/**
 * The error codes that the operations of the stored OpenAPI document can return, as this product
 * spells them, and that of the router.
 */
export function codeTable(spelling: (code: Code) => string, document: StoredDocument): string {
  const described = Object.values(document.components.responses).map(({ description }) => description);
  const isReturned = (code: Code): boolean =>
    code === 'method_not_allowed' ||
    described.some((text) => text.split('\n\n').includes(`\`${spelling(code)}\`: ${codes[code].meaning}`));
  const rows = (Object.keys(codes) as Code[])
    .filter(isReturned)
    .map((code) => [`\`${spelling(code)}\``, String(codes[code].status), codes[code].meaning]);
  return markdownTable(['code', 'status', 'meaning'], rows);
}
