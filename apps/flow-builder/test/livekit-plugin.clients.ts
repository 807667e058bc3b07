// LiveKit's own plugin for OpenAI talks to a flow as its agents do: streamed turns, a tool that
// answers, and one that fails. The packages are installed once into .parley; their size is why they
// are no dependencies.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { INSTALL_MS, installOnce } from './install-once.ts';
import { publishFlows, startFlowBuilder, type FlowBuilder } from './service.ts';

jest.setTimeout(60_000);

const run = promisify(execFile);
const VERSION = '1.9.0';
const PACKAGES = ['@livekit/agents-plugin-openai', '@livekit/agents'].map((name) => `${name}@${VERSION}`);

let flows: FlowBuilder;
let home: string;
beforeAll(async () => {
  flows = await startFlowBuilder();
  await publishFlows(flows, { booking });
  home = await installOnce(`livekit-${VERSION}`, installClient);
}, INSTALL_MS);
afterAll(() => flows.stop());

const booking = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'How many?', variable: 'people', cast: 'integer' },
    { id: 'book', type: 'tool', tool: 'book', args: { people: '{{ people }}' }, wait_for_result: true },
    { id: 'done', type: 'end', message: 'A table for {{ people }}.' },
    { id: 'failed', type: 'end', message: 'That did not work.' },
  ],
  edges: [
    { source: 'ask', target: 'book' },
    { source: 'book', target: 'done', variable: '_tool_status', op: 'eq', value: 'ok' },
    { source: 'book', target: 'failed', default: true },
  ],
};

async function installClient(folder: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const options = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', ...options, ...PACKAGES], { timeout: INSTALL_MS });
}

/** Runs a program that has `model`, `chat`, `tools` and `turn`, and prints its `shown` as JSON. */
async function play(code: string): Promise<unknown> {
  const program = `
import { initializeLogger, llm } from '@livekit/agents';
import { LLM } from '@livekit/agents-plugin-openai';
initializeLogger({ pretty: false, level: 'silent' });
const model = new LLM({
  model: 'booking', apiKey: process.env.KEY, baseURL: process.env.FLOWS + '/openai/v1',
  metadata: { session_id: process.env.SESSION },
});
let execute = async () => ({ ok: true });
const tools = new llm.ToolContext([llm.tool({
  name: 'book', description: 'Books a table', execute: (args) => execute(args),
  parameters: { type: 'object', properties: { people: { type: 'integer' } } },
})]);
const chat = new llm.ChatContext();
/** One turn as an agent session makes it: the answer's text and calls go into the context. */
async function turn(said) {
  if (said !== undefined) chat.addMessage({ role: 'user', content: said });
  const { text, toolCalls } = await model.chat({ chatCtx: chat, toolCtx: tools }).collect();
  if (text !== '') chat.addMessage({ role: 'assistant', content: text });
  for (const call of toolCalls) chat.insert([call, await llm.executeToolCall(call, tools)]);
  return { text, calls: toolCalls.map(({ name, args }) => [name, JSON.parse(args)]) };
}
${code}
process.stdout.write(JSON.stringify(shown), () => process.exit(0));`;
  const file = join(home, `play-${process.pid}-${expect.getState().currentTestName?.length}.mjs`);
  await writeFile(file, program);
  const env = {
    PATH: process.env['PATH'],
    FLOWS: flows.server.url,
    KEY: flows.key,
    SESSION: expect.getState().currentTestName,
  };
  const { stdout } = await run(process.execPath, [file], { env, timeout: 50_000 });
  return JSON.parse(stdout);
}

test('a conversation with a tool', async () => {
  const shown = await play(`const shown = [await turn('hello'), await turn('four'), await turn()];`);
  expect(shown).toEqual([
    { text: 'How many?', calls: [] },
    { text: '', calls: [['book', { people: 4 }]] },
    { text: 'A table for 4.', calls: [] },
  ]);
});

test('a tool that fails', async () => {
  const shown = await play(`
execute = async () => { throw new Error('no table left'); };
const shown = [await turn('hello'), await turn('four'), await turn()];`);
  expect(shown).toMatchObject([{}, { calls: [['book', { people: 4 }]] }, { text: 'That did not work.' }]);
});

test('a tool that goes on in the background', async () => {
  const shown = await play(`
const call = (id) => llm.FunctionCall.create({ callId: id, name: 'book', args: '{"people":4}' });
const output = (id, text) => llm.FunctionCallOutput.create({ callId: id, name: 'book', output: text, isError: false });
let id;
execute = async () => ({});
chat.addMessage({ role: 'user', content: 'hello' });
chat.addMessage({ role: 'assistant', content: (await model.chat({ chatCtx: chat, toolCtx: tools }).collect()).text });
chat.addMessage({ role: 'user', content: 'four' });
const { toolCalls } = await model.chat({ chatCtx: chat, toolCtx: tools }).collect();
id = toolCalls[0].callId;
chat.insert([toolCalls[0], output(id, 'The tool call is still in progress.')]);
const shown = [await turn(), await turn('are you there?')];
chat.insert([call(id + '_update_1'), output(id + '_update_1', 'half way')]);
shown.push(await turn());
chat.insert([call(id + '_final'), output(id + '_final', '{"ok":true}')]);
shown.push(await turn());`);
  const silent = { text: '', calls: [] };
  expect(shown).toEqual([silent, silent, silent, { text: 'A table for 4.', calls: [] }]);
});

test('an unknown flow', async () => {
  const shown = await play(`
const nothing = new LLM({ model: 'nothing', apiKey: process.env.KEY, baseURL: process.env.FLOWS + '/openai/v1' });
chat.addMessage({ role: 'user', content: 'hello' });
const shown = [];
nothing.on('error', ({ error }) => shown.push([error.statusCode, error.retryable]));
await nothing.chat({ chatCtx: chat }).collect();`);
  expect(shown).toEqual([[404, false]]);
});
