// OpenAI's official client for Python talks to a flow: chat completions and responses, streamed and
// not, a tool, models and an error. The client is installed once into .parley.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { INSTALL_MS, installOnce } from './install-once.ts';
import { publishFlows, startFlowBuilder, type FlowBuilder } from './service.ts';

jest.setTimeout(60_000);

const run = promisify(execFile);
const VERSION = '3.22.1';

let flows: FlowBuilder;
let packages: string;
beforeAll(async () => {
  flows = await startFlowBuilder();
  await publishFlows(flows, { booking });
  packages = await installOnce(`openai-python-${VERSION}`, installClient);
}, INSTALL_MS);
afterAll(() => flows.stop());

const booking = {
  nodes: [
    { id: 'ask', type: 'collect', prompt: 'How many?', variable: 'people', cast: 'integer' },
    { id: 'book', type: 'tool', tool: 'book', args: { people: '{{ people }}' }, wait_for_result: true },
    { id: 'done', type: 'end', message: 'A table for {{ people }}.' },
  ],
  edges: [
    { source: 'ask', target: 'book' },
    { source: 'book', target: 'done', default: true },
  ],
};

async function installClient(folder: string): Promise<void> {
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', folder];
  await run('python3', [...pip, `openai==${VERSION}`], { timeout: INSTALL_MS });
}

/** Runs a program that has a `client` and `messages`, and prints its `shown` as JSON. */
async function play(code: string): Promise<unknown> {
  const program = `
import json, os, openai
client = openai.OpenAI(base_url=os.environ['FLOWS'] + '/openai/v1', api_key=os.environ['KEY'], max_retries=0)
user = lambda text: {'role': 'user', 'content': text}
def ask(messages, **more):
    return client.chat.completions.create(
        model='booking', messages=messages, metadata={'session_id': 'python-1'}, **more)
${code}
print(json.dumps(shown))`;
  const env = {
    PATH: process.env['PATH'],
    PYTHONPATH: packages,
    PYTHONDONTWRITEBYTECODE: '1',
    FLOWS: flows.server.url,
    KEY: flows.key,
  };
  const { stdout } = await run('python3', ['-c', program], { env, timeout: 50_000 });
  return JSON.parse(stdout);
}

test('a conversation with a tool', async () => {
  const shown = await play(`
first = ask([])
called = ask([user('hello'), first.choices[0].message, user('four')])
call = called.choices[0].message.tool_calls[0]
result = {'role': 'tool', 'tool_call_id': call.id, 'content': '{"ok": true}'}
last = ask([user('hello'), first.choices[0].message, user('four'), called.choices[0].message, result])
shown = [
    first.choices[0].message.content,
    [called.choices[0].finish_reason, call.function.name, json.loads(call.function.arguments)],
    [last.choices[0].message.content, last.choices[0].finish_reason, last.parley['status']],
]`);
  expect(shown).toEqual([
    'How many?',
    ['tool_calls', 'book', { people: 4 }],
    ['A table for 4.', 'end', 'completed'],
  ]);
});

test('a stream', async () => {
  const shown = await play(`
chunks = list(ask([user('hello')], stream=True))
texts = [choice.delta.content or '' for chunk in chunks for choice in chunk.choices]
shown = [''.join(texts), chunks[-1].choices[0].finish_reason, chunks[-1].parley['status']]`);
  expect(shown).toEqual(['How many?', 'stop', 'waiting']);
});

test('responses, streamed and not', async () => {
  const shown = await play(`
about = {'model': 'booking', 'input': 'hello', 'metadata': {'session_id': 'python-2'}}
whole = client.responses.create(**about)
events = list(client.responses.create(**about, stream=True))
shown = [whole.output_text, whole.status, events[0].type, events[-1].type, events[-1].response.output_text]`);
  expect(shown).toEqual(['How many?', 'completed', 'response.created', 'response.completed', 'How many?']);
});

test('models, and a model that does not exist', async () => {
  const shown = await play(`
shown = [[model.id for model in client.models.list()], client.models.retrieve('booking').object]
try:
    client.models.retrieve('nothing')
except openai.NotFoundError as error:
    shown.append(error.code)`);
  expect(shown).toEqual([['booking'], 'model', 'not_found']);
});
