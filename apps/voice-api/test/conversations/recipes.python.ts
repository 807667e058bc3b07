// Runs the recipes of apps/voice-api/recipes with python3 and sh against this service
// (docs/voice-api.md#imports).
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, copyFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { eventually } from '@parley/testing';
import { read, readTranscript } from '../events.ts';
import { startVoiceApi, type VoiceApi } from '../service.ts';

jest.setTimeout(120_000);

const run = promisify(execFile);
const RECIPES = join(import.meta.dirname, '..', '..', 'recipes');

let service: VoiceApi;
beforeAll(async () => {
  service = await startVoiceApi();
});
afterAll(() => service.stop());

const env = () => ({
  PATH: process.env['PATH'] ?? '',
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONPATH: RECIPES,
  PARLEY_URL: `${service.server.url}/v1`,
  PARLEY_KEY: service.key,
});
const python = (script: string) =>
  run('python3', [join(import.meta.dirname, 'observers', script)], { env: env(), timeout: 60_000 });
const said = async (id: string) => {
  const { turns } = await readTranscript(service, id);
  return turns.map(({ role, text }) => [role, text]);
};

test('the observer of Pipecat', async () => {
  const { stdout } = await python('pipecat.py');
  expect(stdout).toBe('sent\n');
  expect(await read(service, 'pipecat-1')).toMatchObject({
    bot_id: 'bot_ada',
    status: 'processing',
    channel: 'web',
    from: 'sip:ada@example.com',
    end_reason: 'bot_hangup',
  });
  expect(await said('pipecat-1')).toEqual([
    ['user', 'A table for two.'],
    ['tool', 'find_table({"people": 2})'],
    ['tool', 'find_table: {"table": 7}'],
    ['bot', 'Table seven is yours.'],
    ['bot', 'Anything'],
  ]);
  const { turns } = await readTranscript(service, 'pipecat-1');
  expect(turns[0]).toMatchObject({ language: 'en', start_ms: expect.any(Number) });
  expect(turns[3]).toMatchObject({
    interrupted: false,
    metrics: { asr_ms: 120, llm_ms: 310, tts_ms: 90, e2e_ms: expect.any(Number) },
  });
  expect(turns[4]).toMatchObject({ interrupted: true });
});

test('the observer of LiveKit Agents', async () => {
  const { stdout } = await python('livekit.py');
  expect(stdout).toBe('sent\n');
  expect(await read(service, 'livekit-1')).toMatchObject({ end_reason: 'user_hangup', channel: 'web' });
  expect(await said('livekit-1')).toEqual([
    ['user', 'Is it open?'],
    ['tool', 'hours({"day": "today"})'],
    ['tool', 'hours: until nine'],
    ['bot', 'Until nine.'],
  ]);
  const { turns } = await readTranscript(service, 'livekit-1');
  expect(turns[3]).toMatchObject({ metrics: { asr_ms: 200, llm_ms: 300, tts_ms: 100, e2e_ms: 700 } });
  expect(await read(service, 'livekit-2')).toMatchObject({
    error: { code: 'session_error', message: 'no model' },
  });
});

test('events that do not get through are sent again, and what is refused is told', async () => {
  const { stdout } = await python('retries.py');
  expect(stdout).toContain('speech.final was refused: /data/mood is not a known member');
  expect(stdout).toContain('attempts: 3');
  expect(await said('retried-1')).toEqual([['user', 'Hello']]);
});

/** The command of the README that contains `part`. */
async function findCommand(part: string): Promise<string> {
  const readme = await readFile(join(RECIPES, 'README.md'), 'utf8');
  const commands = [...readme.matchAll(/```sh\n(.*?)```/gs)].map(([, text]) => text!);
  return commands.find((text) => text.includes(part))!;
}

test.each(['vapi', 'retell', 'elevenlabs', 'livekit'])('the import token for %s', async (source) => {
  const { stdout } = await run('sh', ['-c', await findCommand(`"source": "${source}"`)], { env: env() });
  expect(JSON.parse(stdout)).toMatchObject({
    data: {
      source,
      has_secret: true,
      path: expect.stringContaining(`/v1/conversations/import/${source}/imp_`),
    },
  });
});

test.each(['vapi', 'retell'])('the command for a report of %s', async (vendor) => {
  const command = await findCommand(`$PARLEY_URL/conversations/import/${vendor}`);
  const folder = await mkdtemp(join(tmpdir(), 'recipe-'));
  const name = vendor === 'vapi' ? 'vapi-end-of-call' : 'retell-call-ended';
  await copyFile(join(import.meta.dirname, 'reports', `${name}.json`), join(folder, 'report.json'));
  const { stdout } = await run('sh', ['-c', command], { env: env(), cwd: folder });
  expect(JSON.parse(stdout)).toMatchObject({ success: true, data: { rejected: [], refused: [] } });
  await eventually(async () => {
    const { conversation_id: id } = (JSON.parse(stdout) as { data: { conversation_id: string } }).data;
    return (await readTranscript(service, id)).turns.length > 0;
  });
  await rm(folder, { recursive: true });
});
