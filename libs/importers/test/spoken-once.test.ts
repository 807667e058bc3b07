// Every text of a source is spoken once in a conversation that comes to no node twice, and so are
// the words of an agent.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  compileFlow,
  parseFlow,
  walkTurn,
  type CompiledFlow,
  type Step,
  type TurnResult,
} from '@parley/flow-engine';
import { importFlow } from '../src/index.ts';
import { leaveOut } from './gate/leave-out.ts';
import { markTexts, readGateDocument } from './gate/mark.ts';
import { gateSchemas } from './gate/schemas.ts';

function flowOf(document: unknown): CompiledFlow {
  const imported = importFlow(document);
  if (!imported.ok) throw new Error(imported.reason);
  return compile(imported);
}

function compile(imported: Extract<ReturnType<typeof importFlow>, { ok: true }>): CompiledFlow {
  const parsed = parseFlow(imported.definition);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return compileFlow(parsed.flow);
}

const TURNS_MAX = 12;
const utterances = ['hello', '12', 'yes', 'no'];

/** Answers the questions of a turn: a pick chooses among edges and branches. */
function answerQuestions(first: Step, pick: () => number): TurnResult | string {
  let step = first;
  for (;;) {
    if (step.kind === 'done') {
      return step.result.kind === 'turn' ? step.result : step.result.kind;
    }
    if (step.kind === 'extract') step = step.resume({ kind: 'extracted', values: {} });
    else if (step.kind === 'classify') {
      const { length } = step.question.candidates;
      step = step.resume({ kind: 'chosen', index: pick() % length, confidence: 1 });
    } else {
      const { talk } = step.spec;
      const choices = talk?.branches.length ?? 0;
      const index = pick() % (choices + 1);
      step = step.resume({
        status: talk === undefined ? 'goal_reached' : 'replied',
        answer: `agent${nextWords()}agent`,
        iterations: 1,
        toolCalls: [],
        ...(index < choices ? { choice: { index, confidence: 1 } } : {}),
      });
    }
  }
}

let words = 0;
const nextWords = () => (words += 1);

/**
 * What is spoken up to the turn that comes to a node a second time.
 * @param refused called when the engine refuses a turn, which ends the conversation
 */
function play(
  flow: CompiledFlow,
  picks: readonly number[],
  refused: (kind: string) => void = (kind) => {
    throw new Error(kind);
  },
): readonly string[] {
  let at = 0;
  const pick = () => picks[at++ % picks.length]!;
  let before: Pick<TurnResult, 'nextNode' | 'variables'> = { nextNode: null, variables: {} };
  const seen = new Set<string>();
  const spoken: string[] = [];
  for (let turn = 0; turn < TURNS_MAX; turn++) {
    const node = before.nextNode === null ? null : (flow.nodes.get(before.nextNode) ?? null);
    const waits = node?.type === 'tool' && node.waits;
    const returns = node?.type === 'handoff' && node.waits;
    const result = answerQuestions(
      walkTurn(flow, {
        currentNode: before.nextNode,
        userInput: waits || returns ? null : utterances[pick() % utterances.length]!,
        answer: waits
          ? { kind: 'tool_result', callId: null, outcome: { status: 'ok', result: { ok: true } } }
          : returns
            ? { kind: 'handoff_result', status: 'returned', reason: null }
            : null,
        variables: before.variables,
        nowMs: 0,
        agentMode: 'in_process',
        extractorAvailable: false,
      }),
      pick,
    );
    if (typeof result === 'string') {
      refused(result);
      break;
    }
    const arrived = before.nextNode === null ? result.visited : result.visited.slice(1);
    if (arrived.some((id) => seen.has(id)) || new Set(arrived).size < arrived.length) break;
    for (const id of arrived) seen.add(id);
    spoken.push(...result.outputs.filter(({ type }) => type !== 'reprompt').map(({ text }) => text));
    if (result.nextNode === null) break;
    before = result;
  }
  return spoken;
}

/** Marks that stand in more than one spoken text; a text without a mark stands for itself. */
function findRepeated(spoken: readonly string[]): string[] {
  const marks = spoken.flatMap((text) => [...new Set(text.match(/w\d+w|agent\d+agent/gu) ?? [text])]);
  return marks.filter((mark, at) => marks.indexOf(mark) !== at);
}

const picks = fc.array(fc.nat(20), { minLength: 1, maxLength: 20 });

describe.each(gateSchemas.map((schema) => [schema.document, schema] as const))('%s', (_name, schema) => {
  // Rasa finds a response by its name, which a mark would change.
  const document = readGateDocument(schema);
  const marked = schema.format === 'rasa' ? document : markTexts(document, schema.paths);
  const flow = flowOf(marked);

  test('speaks each text once, whatever the caller chooses', () => {
    fc.assert(
      fc.property(picks, (picked) => {
        expect(findRepeated(play(flow, picked))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test('so does every document that is generated from it', () => {
    const leftOut = fc.array(fc.nat(), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(leftOut, fc.array(picks, { minLength: 3, maxLength: 3 }), (places, conversations) => {
        const imported = importFlow(leaveOut(marked, places));
        fc.pre(imported.ok && imported.format === schema.format);
        if (!imported.ok) return;
        const generated = compile(imported);
        // Without its start or its questions a flow may end in a refusal.
        for (const picked of conversations)
          expect(findRepeated(play(generated, picked, () => {}))).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  test('speaks texts of the source', () => {
    const samples = fc.sample(picks, { seed: 1, numRuns: 200 });
    const spoken = samples.flatMap((picked) => play(flow, picked));
    const isMarked = (text: string) => /w\d+w|agent\d+agent/u.test(text);
    expect(spoken.some(schema.format === 'rasa' ? (text) => text !== '' : isMarked)).toBe(true);
  });
});

test('a text that is spoken twice is found', () => {
  const nodes = [
    { id: 'start', type: 'message', text: 'w1w Welcome.' },
    { id: 'again', type: 'end', text: 'Again: w1w Welcome.' },
  ];
  const parsed = parseFlow({ nodes, edges: [{ source: 'start', target: 'again' }] });
  if (!parsed.ok) throw new Error('not a flow');
  expect(findRepeated(play(compileFlow(parsed.flow), [0]))).toEqual(['w1w']);
});
