// What the engine says of the flows of a folder: no server is asked (docs/flows-as-code.md#without-a-server).
import { join } from 'node:path';
import { provideLanguagesFrom } from '@parley/answers/node';
import {
  calledKey,
  callsIn,
  compileFlow,
  expandCalls,
  generateTests,
  limits,
  parseFlow,
  playTest,
  readParsedFlow,
  validateExpansion,
  type AuthoredFlow,
  type CalledVersion,
  type CompiledFlow,
  type Validation,
} from '@parley/flow-engine';
import { shippedPath, type Clock } from '@parley/runtime';
import type { FlowFile, Tests } from './folder.ts';

/** One thing that was looked at: a definition, or a test. */
export interface Finding {
  readonly flowId: string;
  readonly file: string;
  /** Of the test; `definition` of what is said of the flow itself. */
  readonly name: string;
  readonly errors: readonly string[];
  /** What a person should know although nothing is wrong. */
  readonly warnings: readonly string[];
}

/** Flows that call each other are found in the folder, whatever version is named. */
export function createLocalEngine(flows: readonly FlowFile[], clock: Clock) {
  provideLanguagesFrom(
    shippedPath('languages', () => join(import.meta.dirname, '../../../../libs/answers/generated')),
  );
  const byId = new Map(flows.map((flow) => [flow.flowId, flow]));

  /** @param callers flows that are being expanded: who calls one of them is told so. */
  function expand({ flowId, definition }: FlowFile, callers: readonly string[]) {
    const called: Record<string, CalledVersion> = {};
    for (const { flowId: id, version } of callsIn(definition)) {
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
    // Which private addresses are allowed is for each installation to say.
    const validation = validateExpansion(authored, expansion, {
      stepsMax: limits.stepsMax,
      allowsUrl: () => true,
    });
    return { expansion, validation };
  }

  function look(flow: FlowFile): {
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
    const told = ({ path, code, message, hint }: Validation['errors'][number]) =>
      `${path} ${code}: ${message}. ${hint}`;
    const finding = { ...of, errors: validation.errors.map(told), warnings: validation.warnings.map(told) };
    const compiled = validation.valid ? compileFlow(readParsedFlow(expansion.definition)) : null;
    return { finding, compiled, validation };
  }

  const boundsOf = (validation: Validation | null) => ({
    stepsMax: limits.stepsMax,
    stepsProvedMax: validation?.stats.max_steps_per_turn ?? null,
  });

  return {
    validate: (flow: FlowFile): Finding => look(flow).finding,
    /** Its definition first: a flow with errors is not played. */
    test: (flow: FlowFile): Finding[] => {
      const { finding, compiled, validation } = look(flow);
      if (compiled === null) return [finding];
      const playing = { ...boundsOf(validation), nowMs: clock() };
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
    /** Conversations that take every edge that can be taken, and how many that are; null where the flow has errors. */
    generate: (flow: FlowFile): { tests: Tests; taken: number; all: number } | null => {
      const { compiled, validation } = look(flow);
      if (compiled === null) return null;
      const { tests, edges } = generateTests(compiled, boundsOf(validation));
      return {
        tests: Object.fromEntries(tests.map(({ name, test }) => [name, test as Tests[string]])),
        ...edges,
      };
    },
  };
}
