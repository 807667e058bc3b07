// What validation says, as tools give it: one list, the worst first, each with where it is and what to do about it. In process where
// nothing but the definition is needed.
import { callsIn, limits, parseFlow, validateFlow, type ValidationItem } from '@parley/flow-engine';
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
  if (!parsed.ok)
    return {
      valid: false,
      findings: parsed.problems.map(({ path, message }) => ({
        severity: 'error',
        code: parsed.kind,
        message,
        pointer: path,
      })),
    };
  if (callsIn(definition).length > 0) return null;
  // Which private addresses are allowed is for each installation to say.
  const validation = validateFlow(parsed.flow, { stepsMax: limits.stepsMax, allowsUrl: () => true });
  return {
    valid: validation.valid,
    findings: findingsOf(validation),
    required_variables: validation.required_variables,
    stats: validation.stats,
  };
}
