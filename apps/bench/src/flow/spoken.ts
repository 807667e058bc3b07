// Answers that casts read: a turn with a short one, and a sentence of 300 characters
// (docs/performance.md#engine).
import { compileCast, type Cast, type CastRules } from '@parley/answers';
import { compileFlow, parseFlow, type CompiledFlow } from '@parley/flow-engine';
import { inProcess } from '../in-process.ts';
import type { Part } from '../suites.ts';
import { NOW_MS } from './bench-flow.ts';
import { parleyWalk } from './parley-walk.ts';

const WINDOW_SECONDS = 0.4;
const LONG_CHARS = 300;
const LONG_MAX_US = 60;
const UNREAD = 'string';
const choices = [
  { value: 'theft', synonyms: ['stolen', 'burglary'] },
  { value: 'accident', synonyms: ['crash', 'collision'] },
  { value: 'water', synonyms: ['flood', 'a leak'] },
];

const shortAnswers: Readonly<Partial<Record<Cast, readonly string[]>>> = {
  [UNREAD]: ['tomorrow', 'half past seven'],
  date: ['tomorrow', 'on Friday', 'December 3rd', 'in two weeks'],
  time: ['half past seven', 'at 8:30', '5 pm', 'quarter to nine'],
  integer: ['four', 'twenty-one', '4', 'six please'],
  boolean: ['yes', 'no', 'yes please', 'no thank you'],
  enum: ['theft', 'a crash', 'Flood.', 'accident please'],
};

const longAnswer =
  'Good morning, my name is Ada Lovelace and I am calling because my husband and our neighbour want to visit the new ' +
  'restaurant that everybody in our street is praising this summer, and we were hoping for a nice table near the large ' +
  'window in the garden, with a view of the lake and of the old bridge, ';
const longAnswers: Readonly<Partial<Record<Cast, string>>> = {
  date: `${longAnswer}on Friday, thank you.`,
  time: `${longAnswer}at half past seven in the evening.`,
  integer: `${longAnswer}a table for four people, thanks.`,
  boolean: `yes, ${longAnswer}thank you.`,
  enum: `${longAnswer}our car was stolen.`,
};

function question(cast: Cast): CompiledFlow {
  const parsed = parseFlow({
    nodes: [
      {
        id: 'ask',
        type: 'collect',
        variable: 'answer',
        cast,
        prompt: 'And?',
        ...(cast === 'enum' && { choices }),
      },
      { id: 'next', type: 'collect', variable: 'other', prompt: 'And then?' },
    ],
    edges: [{ source: 'ask', target: 'next' }],
  });
  if (!parsed.ok) throw new Error(`a question is refused: ${JSON.stringify(parsed.problems[0])}`);
  return compileFlow(parsed.flow);
}

function turnsAt(cast: Cast, answers: readonly string[]): (call: number) => number {
  const flow = question(cast);
  const turns = answers.map((user_input) => ({
    current_node: 'ask',
    user_input,
    variables: { language: 'en' },
  }));
  for (const turn of turns)
    if (parleyWalk(flow, turn).nextNode !== 'next') throw new Error(`${cast} refuses ${turn.user_input}`);
  return (call) => parleyWalk(flow, turns[call % turns.length]!).steps;
}

function reading(cast: Cast, answer: string): (call: number) => number {
  if (answer.length < LONG_CHARS) throw new Error(`only ${answer.length} characters`);
  const rules: CastRules = { choices, defaultRegion: null };
  const read = compileCast(cast, rules);
  const context = { nowMs: NOW_MS };
  if (!read(answer, context).ok) throw new Error(`${cast} refuses the long answer`);
  return () => Number(read(answer, context).ok);
}

export const spokenPart: Part = {
  title: 'spoken answers in process',
  open: async (_setting, measure, tell) => {
    const short = Object.entries(shortAnswers) as [Cast, readonly string[]][];
    await measure({
      title: 'A turn with a short answer, by the cast of its question',
      operation: 'turn',
      windowSeconds: WINDOW_SECONDS,
      variants: short.map(([cast, answers]) => inProcess(cast, turnsAt(cast, answers))),
      ratios: short.slice(1).map(([over]) => ({ of: 'time', over, under: UNREAD })),
      note: 'a string is taken as it is',
    });
    const long = Object.entries(longAnswers) as [Cast, string][];
    const measured = await measure({
      title: `An utterance of ${LONG_CHARS} characters, read`,
      operation: 'answer',
      windowSeconds: WINDOW_SECONDS,
      variants: long.map(([cast, answer]) => inProcess(cast, reading(cast, answer))),
      ratios: [],
    });
    tell({
      title: `An utterance of ${LONG_CHARS} characters`,
      figures: measured.variants.map(({ name, wallUs, cpuUs }) => ({
        name,
        value: cpuUs ?? wallUs,
        unit: 'µs',
        atMost: LONG_MAX_US,
      })),
    });
  },
};
