// The engine alone, in a process of its own and bundled as in a service: behind a bare node:http,
// or turn after turn without HTTP.
import { createServer } from 'node:http';
import { recordTurn } from '@parley/flow-analysis';
import { compileFlow, parseFlow, turnResultToWire, walkTurn, type TurnInput } from '@parley/flow-engine';
import { DEFINITION, FLOW_ID, TURNS, type QuestionTurn } from './three-questions.ts';

const parsed = parseFlow(DEFINITION);
if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
const flow = compileFlow(parsed.flow);
const of = { flowId: FLOW_ID, version: 1 };

function toInput(turn: QuestionTurn): TurnInput {
  return {
    currentNode: turn.current_node,
    userInput: turn.user_input,
    variables: turn.variables,
    nowMs: Date.now(),
    agentMode: 'out_of_band',
    extractorAvailable: false,
  };
}

function walk(input: TurnInput) {
  const step = walkTurn(flow, input);
  if (step.kind !== 'done' || step.result.kind !== 'turn') throw new Error(`the turn ended as ${step.kind}`);
  return step.result;
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const turn = JSON.parse(Buffer.concat(chunks).toString('utf8')) as QuestionTurn;
    const body = Buffer.from(JSON.stringify(turnResultToWire(walk(toInput(turn)))));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
});
server.listen(Number(process.argv[2]), '127.0.0.1');

/** Turns between two looks at the clock. */
const TURNS_AT_ONCE = 100 * TURNS.length;

process.on('message', ({ seconds, recorded }: { seconds: number; recorded: boolean }) => {
  const startedAt = performance.now();
  let operations = 0;
  let texts = 0;
  do {
    for (let call = 0; call < TURNS_AT_ONCE; call += 1) {
      const input = toInput(TURNS[call % TURNS.length]!);
      const result = walk(input);
      texts += recorded ? recordTurn(of, flow.model, input, [], result).path.length : result.outputs.length;
    }
    operations += TURNS_AT_ONCE;
  } while (performance.now() - startedAt < seconds * 1000);
  if (texts === 0) throw new Error('nothing was said');
  process.send!({ operations, seconds: (performance.now() - startedAt) / 1000 });
});
process.on('disconnect', () => process.exit());
