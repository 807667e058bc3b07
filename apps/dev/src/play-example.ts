// Puts one example into a flow builder over its public API, and holds its conversation.
import { setTimeout as sleep } from 'node:timers/promises';
import { callService, expectStatus } from './call-service.ts';
import type { ServiceAccess } from './call-service.ts';
import { answerLines, callerLines } from './dialogue.ts';
import type { Turn } from './dialogue.ts';
import type { Example } from './example-files.ts';

/**
 * A publish is seen within 1 s (docs/flow-language.md#publishing); the rest is for a slow machine.
 */
const PUBLISH_SEEN_TIMEOUT_MS = 30_000;
const PUBLISH_SEEN_INTERVAL_MS = 50;

type Print = (text: string) => void;

/**
 * Creates the flow, stores and runs its tests, publishes it, talks to it. Throws at the first step
 * that is not as it must be.
 */
export async function playExample(builder: ServiceAccess, example: Example, print: Print): Promise<void> {
  const version = await storeExample(builder, example);
  print(`  ✓ stored, version ${version}`);
  print(`  ✓ ${await runStoredTests(builder, example, version)} stored tests pass`);
  const path = `/v1/flows/${example.flow_id}/publish`;
  expectStatus(await callService(builder, 'POST', path, { version }), 200);
  print('  ✓ published');
  await holdConversation(builder, example, version, print);
  print('  ✓ the conversation ends as it should');
}

/**
 * Makes the example the latest version and returns its number. A flow that is there keeps its
 * versions: one is appended only where the latest differs from the file.
 */
async function storeExample(builder: ServiceAccess, example: Example): Promise<number> {
  const { flow_id, name, definition } = example;
  const created = await callService(builder, 'POST', '/v1/flows', { flow_id, name, definition });
  expectStatus(created, 201, 200, 409);
  const stored =
    created.status === 201
      ? created
      : await callService(builder, 'PATCH', `/v1/flows/${flow_id}`, {
          name,
          definition,
          note: 'npm run examples',
        });
  expectStatus(stored, 201, 200);
  return (JSON.parse(stored.text) as { version: number }).version;
}

interface TestRun {
  readonly passed: number;
  readonly results: readonly {
    readonly name: string;
    readonly passed: boolean;
    readonly failures: readonly object[];
  }[];
}

/** How many passed: all of the example's, and those that someone added to the flow. */
async function runStoredTests(builder: ServiceAccess, example: Example, version: number): Promise<number> {
  const path = `/v1/flows/${example.flow_id}/tests`;
  for (const [name, body] of Object.entries(example.tests))
    expectStatus(await callService(builder, 'PUT', `${path}/${name}`, body), 201, 200);
  const answer = await callService(builder, 'POST', `${path}/run?version=${version}`, {});
  expectStatus(answer, 200);
  const { passed, results } = JSON.parse(answer.text) as TestRun;
  const failed = results.filter((result) => !result.passed);
  if (failed.length > 0) throw new Error(`stored tests fail: ${JSON.stringify(failed)}`);
  const missing = Object.keys(example.tests).filter(
    (name) => !results.some((result) => result.name === name),
  );
  if (missing.length > 0) throw new Error(`stored tests were not run: ${missing.join(', ')}`);
  return passed;
}

/**
 * On the product face, as a customer's application would: nothing is remembered but what the last
 * turn answered.
 */
async function holdConversation(
  builder: ServiceAccess,
  example: Example,
  version: number,
  print: Print,
): Promise<void> {
  let last: Turn | null = null;
  for (const line of example.conversation) {
    if (line.at !== undefined && line.at !== last?.next_node) continue;
    if (last !== null && last.next_node === null)
      throw new Error(`the conversation is over (${last.status}) before ${JSON.stringify(line)}`);
    for (const text of callerLines(line, last === null)) print(text);
    const request = {
      // The same in every run: what a flow reports is reported once.
      session_id: `example-${example.flow_id}`,
      current_node: last?.next_node ?? null,
      user_input: line.user_input ?? null,
      tool_result: line.tool_result && { ...line.tool_result, call_id: openCall(last) },
      handoff_result: line.handoff_result,
      variables: { ...last?.variables, ...line.variables },
    };
    last = await executeTurn(builder, example.flow_id, request, version);
    for (const text of answerLines(last)) print(text);
    for (const [member, expected] of Object.entries(line.expect ?? {})) {
      const actual = last[member as 'status' | 'next_node'];
      if (actual !== expected) throw new Error(`${member} is ${String(actual)}, not ${String(expected)}`);
    }
  }
  if (last === null || last.next_node !== null) throw new Error('the conversation does not end');
}

/** A turn waits for one tool at most: the one that it ends with. */
function openCall(last: Turn | null): string | undefined {
  return last?.actions.findLast(({ call_id }) => call_id !== undefined)?.call_id;
}

/** No version is asked for: that the published one answers is what is to be seen. */
async function executeTurn(
  builder: ServiceAccess,
  flowId: string,
  request: object,
  version: number,
): Promise<Turn> {
  const deadline = performance.now() + PUBLISH_SEEN_TIMEOUT_MS;
  for (;;) {
    const answer = await callService(builder, 'POST', `/product/v1/flows/${flowId}/execute`, request);
    const turn = answer.status === 200 ? (JSON.parse(answer.text) as Turn) : null;
    if (turn?.version === version) return turn;
    if (performance.now() >= deadline) {
      expectStatus(answer, 200);
      throw new Error(`version ${turn?.version} answers, although version ${version} is published`);
    }
    await sleep(PUBLISH_SEEN_INTERVAL_MS);
  }
}
