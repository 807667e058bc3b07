// Plays the snippets of docs/openai.md against the service: settings of platforms as the platform
// uses them, programs in TypeScript as they stand. openai-page.python.ts plays the others.
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { findSnippet, PAGE_ORIGIN, pageFlows, snippets } from './platforms/page.ts';
import { requests } from './platforms/requests.ts';
import { startFlowBuilder, type FlowBuilder } from './service.ts';

jest.setTimeout(120_000);

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
/** Inside the repository, so that packages resolve; `dist` is ignored. */
const folder = join(ROOT, 'dist', `openai-page-${process.pid}`);

let flows: FlowBuilder;
beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  flows = await startFlowBuilder();
  for (const [flowId, definition] of Object.entries(pageFlows)) {
    await flows.api.post('/v1/flows', { flow_id: flowId, definition }).expect(201);
    await flows.api.post(`/v1/flows/${flowId}/publish`).expect(200);
  }
});
afterAll(async () => {
  await flows.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('every snippet is played, here or in openai-page.python.ts', () => {
  expect(snippets.map(({ section, language }) => `${section}: ${language}`)).toEqual([
    'Let your voice platform talk to a flow: sh',
    'TypeScript: ts',
    'Responses: sh',
    'Vapi: json',
    'Retell: ts',
    'LiveKit: python',
    'Pipecat: python',
    'ElevenLabs: json',
  ]);
});

/** What a platform sends (requests.ts). */
const bodyOf = (name: string) => requests.find((request) => request.name === name)!.body;
const pathOf = (url: string) => {
  expect(url).toMatch(new RegExp(`^${PAGE_ORIGIN}/`));
  return url.slice(PAGE_ORIGIN.length);
};

/** The texts of a stream, and what it says of the turn. */
function readStream(stream: string) {
  const chunks = [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json!) as Chunk);
  return {
    content: chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''),
    parley: chunks.find(({ parley }) => parley !== undefined)?.parley,
  };
}
interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
  readonly parley?: { readonly session_id: string; readonly status: string };
}

test('Vapi: the assistant', async () => {
  const { model, metadata, firstMessageMode } = JSON.parse(findSnippet('Vapi')) as {
    model: { provider: string; url: string; model: string; metadataSendMode: string };
    metadata: object;
    firstMessageMode: string;
  };
  // docs.vapi.ai OpenAPI: CustomLLMModel, CreateAssistantDTO.firstMessageMode
  expect(model).toMatchObject({ provider: 'custom-llm', metadataSendMode: 'variable' });
  expect(firstMessageMode).toBe('assistant-speaks-first-with-model-generated-message');
  const sent = { ...bodyOf('Vapi, metadata as a variable'), model: model.model, metadata };
  const messages = [{ role: 'system', content: '' }];
  const { text } = await flows.api
    .post(`${pathOf(model.url)}/chat/completions`, { ...sent, messages })
    .expect(200);
  const call = sent as unknown as { call: { id: string } };
  expect(readStream(text)).toMatchObject({
    content: 'For how many?',
    parley: { session_id: call.call.id, status: 'waiting' },
  });
});

test('ElevenLabs: the agent, also with its other API type', async () => {
  const { llm, custom_llm: custom } = JSON.parse(findSnippet('ElevenLabs')) as {
    llm: string;
    custom_llm: {
      url: string;
      model_id: string;
      api_type: string;
      request_headers: Record<string, { variable_name: string }>;
    };
  };
  // github.com/elevenlabs/elevenlabs-python types/custom_llm.py
  expect({ llm, api_type: custom.api_type }).toEqual({ llm: 'custom-llm', api_type: 'chat_completions' });
  const [[header, { variable_name }]] = Object.entries(custom.request_headers) as [[string, Variable]];
  expect(variable_name).toBe('system__conversation_id');
  const sent = { ...bodyOf('ElevenLabs, a header with the conversation'), model: custom.model_id };
  const { text } = await flows.api
    .post(`${pathOf(custom.url)}/chat/completions`, sent)
    .set({ [header]: 'conv_1' })
    .expect(200);
  expect(readStream(text)).toMatchObject({ content: 'For how many?', parley: { session_id: 'conv_1' } });
  const responses = await flows.api
    .post(`${pathOf(custom.url)}/responses`, { model: custom.model_id, input: 'hello', stream: true })
    .set({ [header]: 'conv_1' })
    .expect(200);
  expect(responses.text).toContain('"session_id":"conv_1"');
});
interface Variable {
  readonly variable_name: string;
}

/** Writes a snippet as a program that ends with `more`. */
function writeProgram(name: string, more: string) {
  const code = `${findSnippet(name)}\n${more}\n`.replaceAll(PAGE_ORIGIN, flows.server.url);
  writeFileSync(join(folder, `${name}.ts`), code);
}

async function runProgram(name: string): Promise<string> {
  const { stdout } = await run(process.execPath, ['--import', 'tsx', join(folder, `${name}.ts`)], {
    cwd: ROOT,
    timeout: 60_000,
    env: { PATH: process.env['PATH'], PARLEY_KEY: flows.key },
  });
  return stdout;
}

test('TypeScript: the programs compile with the types of the official client, and run', async () => {
  writeProgram('TypeScript', AFTER_TYPESCRIPT);
  writeProgram('Retell', AFTER_RETELL);
  const config = { extends: '../../tsconfig.base.json', include: ['.'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const check = ['node_modules/typescript7/bin/tsc', '--noEmit', '-p', folder];
  const { stdout } = await run(process.execPath, check, { cwd: ROOT }).catch((error: unknown) => {
    throw new Error(String((error as { stdout?: string }).stdout));
  });
  expect(stdout).toBe('');

  expect(await runProgram('TypeScript')).toBe(
    'For how many? waiting\ncompleted handed_off? false\nwaiting\n',
  );
  expect(JSON.parse(await runProgram('Retell'))).toEqual([
    { content: 'For how many?', end_call: false },
    { content: 'A table for 4.', end_call: true },
  ]);
});

/** The end of a call, and the turn of a response: each member by the type of @parley/sdk. */
const AFTER_TYPESCRIPT = `
const end = (await client.chat.completions.create({
  model: 'booking',
  messages: [{ role: 'assistant', content: '' }, { role: 'user', content: '4' }],
})) as ParleyAnswer<OpenAI.ChatCompletion>;
console.log(end.parley.status, 'handed_off?', end.parley.status === 'handed_off');
// @ts-expect-error no status of a turn
if (end.parley.status === 'over') throw new Error();
const response = (await client.responses.create({
  model: 'booking', input: 'hello',
})) as ParleyAnswer<OpenAI.Responses.Response>;
console.log(response.parley.status);
export {};
`;

const AFTER_RETELL = `
console.log(JSON.stringify([
  await answer('call_1', []),
  await answer('call_1', [{ role: 'agent', content: 'For how many?' }, { role: 'user', content: '4' }]),
]));
`;
