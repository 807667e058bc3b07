// Golden conversations: each file of corpus/ is one flow and the turns of one conversation.
// Variables and the next node carry over from turn to turn, unless a turn says otherwise.
import { describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { nodeTypes } from '../src/define/node-types.ts';
import {
  compileFlow,
  parseFlow,
  turnResultToWire,
  walkTurn,
  type Step,
  type TurnWire,
} from '../src/index.ts';
import { noonMs, turnOf } from './play.ts';

interface Conversation {
  readonly name: string;
  readonly flow: { readonly nodes: readonly { readonly type: string }[] };
  readonly turns: readonly {
    readonly request?: {
      readonly user_input?: string | null;
      readonly current_node?: string | null;
      /** Merged into the carried variables, as a caller writes tool results. */
      readonly variables?: Readonly<Record<string, unknown>>;
      readonly now?: string;
      readonly agent_mode?: 'in_process' | 'out_of_band';
      readonly extractor?: boolean;
      readonly steps_max?: number;
    };
    /**
     * To the questions of the turn, in the order of asking; `question` is the expected question.
     */
    readonly answers?: readonly {
      readonly kind: string;
      readonly question?: object;
      readonly answer: unknown;
    }[];
    readonly expect: {
      readonly texts?: readonly string[];
      /** Members of the execute answer; objects may have more members than are listed. */
      readonly result?: Readonly<Record<string, unknown>>;
      /** Variables that must be absent. */
      readonly unset?: readonly string[];
      readonly refusal?: Readonly<Record<string, unknown>>;
    };
  }[];
}

const folder = new URL('./corpus/', import.meta.url);
const conversations = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.json'))
  .sort()
  .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Conversation);

describe('golden conversations', () => {
  test.each(conversations)('$name', ({ flow: definition, turns }) => {
    const parsed = parseFlow(definition);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    const flow = compileFlow(parsed.flow);
    let carried: Pick<TurnWire, 'next_node' | 'variables'> = { next_node: null, variables: {} };
    for (const [index, { request = {}, answers = [], expect: expected }] of turns.entries()) {
      let step: Step = walkTurn(
        flow,
        turnOf({
          currentNode: request.current_node === undefined ? carried.next_node : request.current_node,
          userInput: request.user_input ?? null,
          variables: { ...carried.variables, ...request.variables },
          nowMs: request.now === undefined ? noonMs : Date.parse(request.now),
          agentMode: request.agent_mode ?? 'out_of_band',
          extractorAvailable: request.extractor ?? false,
          ...(request.steps_max === undefined ? {} : { stepsMax: request.steps_max }),
        }),
      );
      for (const { kind, question, answer } of answers) {
        expect([index, step.kind]).toEqual([index, kind]);
        if (step.kind === 'done') break;
        if (question !== undefined)
          expect(step.kind === 'run_agent' ? step.spec : step.question).toMatchObject(question);
        step = (step.resume as (answer: unknown) => Step)(answer);
      }
      if (step.kind !== 'done') throw new Error(`turn ${index}: nobody answers a ${step.kind} question`);
      if (step.result.kind !== 'turn') {
        expect([index, step.result]).toEqual([index, expect.objectContaining(expected.refusal ?? {})]);
        expect(expected.refusal).toBeDefined();
        continue;
      }
      expect(expected.refusal).toBeUndefined();
      carried = turnResultToWire(step.result);
      const { outputs } = carried as TurnWire;
      if (expected.texts !== undefined)
        expect([index, ...outputs.map(({ text }) => text)]).toEqual([index, ...expected.texts]);
      if (expected.result !== undefined)
        expect({ index, ...carried }).toMatchObject({ index, ...expected.result });
      for (const name of expected.unset ?? []) expect(carried.variables).not.toHaveProperty([name]);
    }
  });
});

test('the corpus knows every node type', () => {
  const written = conversations.flatMap(({ flow }) => flow.nodes.map((node) => node.type));
  expect(Object.keys(nodeTypes).filter((type) => !written.includes(type))).toEqual([]);
  for (const { aliases } of Object.values(nodeTypes))
    for (const alias of aliases) expect(written).toContain(alias);
});
