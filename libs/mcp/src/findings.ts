// Formats the findings of validation for tools: one list, errors first, each with place and remedy.
// Validates in process when a definition calls no other flow.
import { validateFlow, type ValidationItem } from '@parley/flow-analysis';
import { listCalls, limits, parseFlow } from '@parley/flow-engine';
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

interface Validation {
  readonly errors: readonly object[];
  readonly warnings: readonly object[];
  readonly infos: readonly object[];
}

/** The engine and the service return the same members. */
export function toFindings({ errors, warnings, infos }: Validation) {
  const tag = (severity: 'error' | 'warning' | 'info', all: readonly object[]) =>
    (all as readonly ValidationItem[]).map(({ path, ...item }) => ({ severity, ...item, pointer: path }));
  return [...tag('error', errors), ...tag('warning', warnings), ...tag('info', infos)];
}

/** null when the definition calls other flows, which only the flow builder has. */
export function validateHere(definition: Record<string, unknown>): Answer | null {
  const parsed = parseFlow(definition);
  if (!parsed.ok) return toInvalid(parsed.kind, parsed.problems);
  if (listCalls(definition).length > 0) return null;
  // Each installation decides which private addresses it allows.
  const validation = validateFlow(parsed.flow, { stepsMax: limits.stepsMax, allowsUrl: () => true });
  return {
    valid: validation.valid,
    findings: toFindings(validation),
    required_variables: validation.required_variables,
    stats: validation.stats,
  };
}

/** Converts the flow builder's refusal of a definition to findings; null for any other error. */
export function toDefinitionFindings(error: unknown): Answer | null {
  if (!(error instanceof ApiError) || !(error.code in KINDS) || error.fields.length === 0) return null;
  if (!error.fields.every(({ path }) => path.startsWith(DEFINITION_POINTER))) return null;
  const problems = error.fields.map(({ path, message }) => ({
    path: path.slice(DEFINITION_POINTER.length),
    message,
  }));
  return toInvalid(KINDS[error.code as keyof typeof KINDS], problems);
}

const DEFINITION_POINTER = '/definition';
const KINDS = { invalid_request: 'not_a_definition', limit_exceeded: 'limit_exceeded' } as const;

function toInvalid(
  code: string,
  problems: readonly { readonly path: string; readonly message: string }[],
): Answer {
  return {
    valid: false,
    findings: problems.map(({ path, message }) => ({ severity: 'error', code, message, pointer: path })),
  };
}
