// What validation says, as tools give it: one list, the worst first, each with where it is and what to do about it. In process where
// nothing but the definition is needed, and nobody else waits for the process.
import { listCalls, limits, parseFlow, validateFlow, type ValidationItem } from '@parley/flow-engine';
import { ApiError } from '@parley/sdk';
import { z } from 'zod';
import type { Answer } from './tool.ts';

export const findings = z.array(
  z.looseObject({
    severity: z.enum(['error', 'warning', 'info']),
    code: z.string(),
    message: z.string(),
    pointer: z.string().describe('JSON pointer into the definition'),
    hint: z.string().optional(),
  }),
);

interface Said {
  readonly errors: readonly object[];
  readonly warnings: readonly object[];
  readonly infos: readonly object[];
}

/** Of a validation of the engine, or of a service, which are the same. */
export function findingsOf({ errors, warnings, infos }: Said) {
  const said = (severity: 'error' | 'warning' | 'info', all: readonly object[]) =>
    (all as readonly ValidationItem[]).map(({ path, ...item }) => ({ severity, ...item, pointer: path }));
  return [...said('error', errors), ...said('warning', warnings), ...said('info', infos)];
}

/** null: other flows are called, which only the flow builder has. */
export function validateHere(definition: Record<string, unknown>): Answer | null {
  const parsed = parseFlow(definition);
  if (!parsed.ok) return noFlow(parsed.kind, parsed.problems);
  if (listCalls(definition).length > 0) return null;
  // Which private addresses are allowed is for each installation to say.
  const validation = validateFlow(parsed.flow, { stepsMax: limits.stepsMax, allowsUrl: () => true });
  return {
    valid: validation.valid,
    findings: findingsOf(validation),
    required_variables: validation.required_variables,
    stats: validation.stats,
  };
}

/** What the flow builder refuses of a definition that was sent, as it is told here; null: something else was refused. */
export function refusedDefinition(error: unknown): Answer | null {
  if (!(error instanceof ApiError) || !(error.code in KINDS) || error.fields.length === 0) return null;
  if (!error.fields.every(({ path }) => path.startsWith(SENT_AT))) return null;
  const problems = error.fields.map(({ path, message }) => ({ path: path.slice(SENT_AT.length), message }));
  return noFlow(KINDS[error.code as keyof typeof KINDS], problems);
}

const SENT_AT = '/definition';
const KINDS = { invalid_request: 'not_a_definition', limit_exceeded: 'limit_exceeded' } as const;

function noFlow(
  code: string,
  problems: readonly { readonly path: string; readonly message: string }[],
): Answer {
  return {
    valid: false,
    findings: problems.map(({ path, message }) => ({ severity: 'error', code, message, pointer: path })),
  };
}
