// Runs the engine on the flows of a folder, without a server
// (docs/flows-as-code.md#without-a-server).
import { join } from 'node:path';
import { provideLanguagesFrom } from '@parley/answers/node';
import {
  expandCalls,
  generateTests,
  playTest,
  validateExpansion,
  type Validation,
} from '@parley/flow-analysis';
import {
  calledKey,
  listCalls,
  compileFlow,
  limits,
  parseFlow,
  readParsedFlow,
  type AuthoredFlow,
  type CalledVersion,
  type CompiledFlow,
} from '@parley/flow-engine';
import { shippedPath, type Clock } from '@parley/server/runtime';
import type { FlowFile, Tests } from './folder.ts';

/** The result for one definition or one test. */
export interface Finding {
  readonly flowId: string;
  readonly file: string;
  /** The test's name, or `definition`. */
  readonly name: string;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** A called flow is that of the folder, whichever version the call names. */
export function createLocalEngine(flows: readonly FlowFile[], clock: Clock) {
  provideLanguagesFrom(
    shippedPath('languages', () => join(import.meta.dirname, '../../../../libs/answers/generated')),
  );
  const byId = new Map(flows.map((flow) => [flow.flowId, flow]));

  /** @param callers flows that are being expanded: calling one of them is a cycle. */
  function expand({ flowId, definition }: FlowFile, callers: readonly string[]) {
    const called: Record<string, CalledVersion> = {};
    for (const { flowId: id, version } of listCalls(definition)) {
      const inner = byId.get(id);
      if (!inner || id === flowId || callers.includes(id) || !parseFlow(inner.definition).ok) continue;
      const { expansion, validation } = expand(inner, [...callers, flowId]);
      called[calledKey({ flowId: id, version })] = {
        version: version === 'published' ? 1 : version,
        valid: validation.valid,
        definition: expansion.definition,
        calls: expansion.calls,
      };
    }
    const authored = definition as unknown as AuthoredFlow;
    const expansion = expandCalls(authored, flowId, called);
    // Each installation decides which private addresses it allows.
    const validation = validateExpansion(authored, expansion, {
      stepsMax: limits.stepsMax,
      allowsUrl: () => true,
    });
    return { expansion, validation };
  }

  function inspect(flow: FlowFile): {
    finding: Finding;
    compiled: CompiledFlow | null;
    validation: Validation | null;
  } {
    const of = { flowId: flow.flowId, file: flow.file, name: 'definition' };
    const parsed = parseFlow(flow.definition, { flowId: flow.flowId });
    if (!parsed.ok) {
      const errors = parsed.problems.map(({ path, message }) => `${path} ${message}`);
      return { finding: { ...of, errors, warnings: [] }, compiled: null, validation: null };
    }
    const { expansion, validation } = expand(flow, []);
    const formatProblem = ({ path, code, message, hint }: Validation['errors'][number]) =>
      `${path} ${code}: ${message}. ${hint}`;
    const finding = {
      ...of,
      errors: validation.errors.map(formatProblem),
      warnings: validation.warnings.map(formatProblem),
    };
    const compiled = validation.valid ? compileFlow(readParsedFlow(expansion.definition)) : null;
    return { finding, compiled, validation };
  }

  const getBounds = (validation: Validation | null) => ({
    stepsMax: limits.stepsMax,
    stepsProvedMax: validation?.stats.max_steps_per_turn ?? null,
  });

  return {
    validate: (flow: FlowFile): Finding => inspect(flow).finding,
    /** The definition first: tests of a flow with errors do not run. */
    test: (flow: FlowFile): Finding[] => {
      const { finding, compiled, validation } = inspect(flow);
      if (compiled === null) return [finding];
      const playing = { ...getBounds(validation), nowMs: clock() };
      const tests = Object.entries(flow.tests).map(([name, test]) => {
        const failures = playTest(compiled, test, playing.nowMs, playing) ?? [];
        const errors = failures.map(
          ({ path, expected, actual }) =>
            `${path} expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`,
        );
        return { ...finding, name, errors, warnings: [] };
      });
      return [finding, ...tests];
    },
    /**
     * Tests for every reachable edge, with the number of edges taken; null when the flow has
     * errors.
     */
    generate: (flow: FlowFile): { tests: Tests; taken: number; all: number } | null => {
      const { compiled, validation } = inspect(flow);
      if (compiled === null) return null;
      const { tests, edges } = generateTests(compiled, getBounds(validation));
      return {
        tests: Object.fromEntries(tests.map(({ name, test }) => [name, test as Tests[string]])),
        ...edges,
      };
    },
  };
}
