// A turn asked for as a chat completion, its history walked again, against the same service's
// execute (docs/performance.md#chats).
import { underLoad } from '../http-load.ts';
import type { Part } from '../suites.ts';
import { benchTurns } from './bench-flow.ts';
import { executeAim } from './execute.ts';
import { FLOW_ID, withMeasuredBuilder } from './measured-builder.ts';

const WINDOW_SECONDS = 3;
const USUAL_TURNS = 10;
const MANY_TURNS = 200;
const EXECUTE = 'execute';
const CHAT = `chat, ${USUAL_TURNS * 2} messages of history`;
const LONG_CHAT = `chat, ${MANY_TURNS * 2} messages of history`;

export const chatPart: Part = {
  title: 'chat completions over HTTP',
  open: (setting, measure, tell) =>
    withMeasuredBuilder(setting, async ({ origin, pid, headers, load }) => {
      const chatAim = (turns: number) => ({
        url: `${origin}/openai/v1/chat/completions`,
        headers,
        bodies: chats(turns),
        marker: `"turn":${turns + 1},"status":"waiting"`,
      });
      const measured = await measure({
        title: 'A turn over HTTP: as a chat completion, and executed; 2 KB of variables',
        operation: 'request',
        windowSeconds: WINDOW_SECONDS,
        variants: [
          underLoad(EXECUTE, load, pid, executeAim(origin, headers)),
          underLoad(CHAT, load, pid, chatAim(USUAL_TURNS)),
          underLoad(LONG_CHAT, load, pid, chatAim(MANY_TURNS)),
        ],
        ratios: [
          { of: 'rate', over: CHAT, under: EXECUTE, atLeast: 0.5 },
          { of: 'rate', over: LONG_CHAT, under: EXECUTE },
        ],
        note: 'a history is read, walked again turn by turn, and then the turn that is asked for counts',
      });
      const { cpuUs, wallUs } = measured.variants.find(({ name }) => name === LONG_CHAT)!;
      tell({
        title: `A chat of ${MANY_TURNS} turns`,
        figures: [{ name: 'a request', value: (cpuUs ?? wallUs) / 1000, unit: 'ms' }],
      });
    }),
};

/**
 * The same conversation with each of the bags; what the assistant is said to have said is about as
 * long as what it says.
 */
function chats(turns: number): string[] {
  const history = Array.from({ length: turns }, (_, turn) => [
    { role: 'user', content: 'the usual, thank you' },
    { role: 'assistant', content: `Ada Lovelace from London. Question ${turn}, Ada Lovelace?` },
  ]).flat();
  return benchTurns().map(({ user_input, variables }, index) =>
    JSON.stringify({
      model: FLOW_ID,
      messages: [...history, { role: 'user', content: user_input }],
      metadata: { session_id: `chat-${index}`, variables },
    }),
  );
}
