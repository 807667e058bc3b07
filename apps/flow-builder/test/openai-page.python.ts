// Plays the snippets of docs/openai.md in Python and for the shell. The packages of LiveKit and
// Pipecat are not installed: Python reads the snippet, and this sends the request that the client
// builds of its arguments.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { PAGE_ORIGIN, findSnippet, pageFlows, snippets } from './platforms/page.ts';
import { requests } from './platforms/requests.ts';
import { startFlowBuilder, type FlowBuilder } from './service.ts';

jest.setTimeout(120_000);

const run = promisify(execFile);

let flows: FlowBuilder;
beforeAll(async () => {
  flows = await startFlowBuilder();
  for (const [flowId, definition] of Object.entries(pageFlows)) {
    await flows.api.post('/v1/flows', { flow_id: flowId, definition }).expect(201);
    await flows.api.post(`/v1/flows/${flowId}/publish`).expect(200);
  }
});
afterAll(() => flows.stop());

const commands = snippets.filter(({ language }) => language === 'sh');
test.each(commands)('the command of "$section"', async ({ code }) => {
  const env = { PATH: process.env['PATH'], FLOWS: flows.server.url, KEY: flows.key };
  const { stdout } = await run('sh', ['-c', code], { env, timeout: 60_000 });
  expect(JSON.parse(stdout)).toMatchObject({ parley: { session_id: 'call-1', status: 'completed' } });
  expect(stdout).toContain('Hello.');
});

/** Compiles a program, and prints the arguments of each call: constants, else their source. */
const READ_CALLS = `
import ast, json, sys
tree = ast.parse(sys.stdin.read())
compile(tree, 'snippet', 'exec')
def read(node):
    try:
        return ast.literal_eval(node)
    except ValueError:
        if isinstance(node, ast.Dict):
            return {key.value: read(value) for key, value in zip(node.keys, node.values)}
        return ast.unparse(node)
print(json.dumps({
    ast.unparse(node.func): {word.arg: read(word.value) for word in node.keywords}
    for node in ast.walk(tree) if isinstance(node, ast.Call)
}))
`;

async function readCalls(section: string): Promise<Record<string, Record<string, unknown>>> {
  const reading = run('python3', ['-I', '-c', READ_CALLS], { timeout: 60_000 });
  reading.child.stdin!.end(findSnippet(section));
  return JSON.parse((await reading).stdout) as Record<string, Record<string, unknown>>;
}

async function play(url: unknown, body: object) {
  expect(url).toBe(`${PAGE_ORIGIN}/openai/v1`);
  const { text } = await flows.api.post('/openai/v1/chat/completions', body).expect(200);
  return text;
}
const bodyOf = (name: string) => requests.find((request) => request.name === name)!.body;

test('LiveKit', async () => {
  const { model, base_url, user, ...others } = (await readCalls('LiveKit'))['openai.LLM']!;
  expect(others).toEqual({ api_key: "os.environ['PARLEY_KEY']" });
  expect(user).toBe('ctx.room.name');
  const text = await play(base_url, { ...bodyOf('LiveKit, user'), model });
  expect(text).toContain('For how many?');
  expect(text).toContain('"session_id":"room-1"');
});

test('Pipecat', async () => {
  const calls = await readCalls('Pipecat');
  const { base_url, api_key } = calls['OpenAILLMService']!;
  expect(api_key).toBe("os.environ['PARLEY_KEY']");
  // github.com/pipecat-ai/pipecat services/openai/base_llm.py: `extra` is added to the body
  const { model, extra } = calls['OpenAILLMService.Settings'] as { model: string; extra: object };
  expect(extra).toEqual({ user: 'call_id' });
  const text = await play(base_url, { ...bodyOf('Pipecat, extra members'), ...extra, model });
  expect(text).toContain('For how many?');
  expect(text).toContain('"session_id":"call_id"');
});
