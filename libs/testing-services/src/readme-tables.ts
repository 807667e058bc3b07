// The generated tables of an app's README: its environment, endpoints and error codes.
import { z } from 'zod';
import { codes, type Code } from '@parley/envelopes';
import type { Endpoint } from '@parley/server/http';
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
 * Every endpoint of a face: method and path, its scope and whether end users may call it, its
 * purpose.
 */
export function endpointTable(base: string, endpoints: readonly Endpoint[]): string {
  return markdownTable(
    ['endpoint', 'scope', 'what it does'],
    endpoints.map(({ method, path, scope, alsoScope, endUsers, summary }) => [
      `\`${method.toUpperCase()} ${base}${path}\``,
      [scope, alsoScope && `, ${alsoScope}`, endUsers && '; end users too'].filter(Boolean).join(''),
      summary,
    ]),
  );
}

/** Every error code as this product spells it. */
export function codeTable(spelling: (code: Code) => string): string {
  const rows = Object.entries(codes).map(([code, row]) => [
    `\`${spelling(code as Code)}\``,
    String(row.status),
    row.meaning,
  ]);
  return markdownTable(['code', 'status', 'meaning'], rows);
}
