// Clients that three generators make of the OpenAPI documents, with strict types, called against
// services. Their packages are installed for the moment, as nothing of ours needs them.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ServiceName, Stack } from '../stack/index.ts';

const run = promisify(execFile);
export const SERVICES = ['flow-builder', 'voice-api', 'notifications'] as const satisfies ServiceName[];

/** Exact versions: a new one must not fail a release. */
export const GENERATORS: Readonly<Record<string, string>> = {
  '@oazapfts/runtime': '1.2.0',
  oazapfts: '7.5.0',
  orval: '7.13.2',
  'swagger-typescript-api': '13.13.0',
};

interface Checkout {
  readonly root: string;
  /** Where GENERATORS are installed. */
  readonly tools: string;
}

/** Writes `<tools>/<generator>/<service>.ts` for each. */
export async function generateClients({ root, tools }: Checkout): Promise<void> {
  const bin = (name: string) => join(tools, 'node_modules', '.bin', name);
  for (const service of SERVICES) {
    const document = join(root, 'apps', service, 'openapi.json');
    const to = (generator: string) => join(tools, generator, `${service}.ts`);
    for (const generator of ['oazapfts', 'orval', 'swagger-typescript-api'])
      mkdirSync(join(tools, generator), { recursive: true });
    await run(bin('oazapfts'), [document, to('oazapfts')], { cwd: tools });
    await run(bin('orval'), ['--input', document, '--output', to('orval'), '--client', 'fetch'], {
      cwd: tools,
    });
    const folder = ['-o', join(tools, 'swagger-typescript-api'), '-n', `${service}.ts`];
    await run(bin('swagger-typescript-api'), ['generate', '-p', document, ...folder], { cwd: tools });
  }
  writeFileSync(join(tools, 'program.ts'), PROGRAM);
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    module: 'ESNext',
    moduleResolution: 'Bundler',
    allowImportingTsExtensions: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    types: [],
  };
  const include = ['program.ts', 'oazapfts', 'orval', 'swagger-typescript-api'];
  writeFileSync(join(tools, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
}

/** @throws Error with what the compiler says */
export async function compileClients({ root, tools }: Checkout): Promise<void> {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await run(process.execPath, [compiler, '-p', tools]).catch((error: { stdout: string }) => {
    throw new Error(`The generated clients do not compile:\n${error.stdout}`);
  });
}

/** @throws Error that says which answer was another one */
export async function callClients({ root, tools }: Checkout, { services }: Stack): Promise<void> {
  const env = Object.fromEntries(
    SERVICES.flatMap((service) => [
      [`${service}_URL`, services[service].origin],
      [`${service}_KEY`, services[service].apiKey],
    ]),
  );
  const program = ['--import', 'tsx', join(tools, 'program.ts')];
  const { stdout } = await run(process.execPath, program, { cwd: root, env: { ...process.env, ...env } });
  const answers = stdout.trimEnd().split('\n');
  if (JSON.stringify(answers) !== JSON.stringify(EXPECTED))
    throw new Error(`The generated clients got\n${stdout}instead of\n${EXPECTED.join('\n')}`);
}

/** Each creates and reads a bot, is refused, and lists in the other services. */
const PROGRAM = `
import * as oazVoice from './oazapfts/voice-api.ts';
import * as oazFlows from './oazapfts/flow-builder.ts';
import * as oazNotifications from './oazapfts/notifications.ts';
import * as orvalVoice from './orval/voice-api.ts';
import * as orvalFlows from './orval/flow-builder.ts';
import * as orvalNotifications from './orval/notifications.ts';
import { Api as StaVoice } from './swagger-typescript-api/voice-api.ts';
import { Api as StaFlows } from './swagger-typescript-api/flow-builder.ts';
import { Api as StaNotifications } from './swagger-typescript-api/notifications.ts';

declare const process: { env: Record<string, string> };
const of = (service: string) => ({
  baseUrl: process.env[service + '_URL']!,
  headers: { authorization: 'Bearer ' + process.env[service + '_KEY']! },
});
const [voice, flows, notifications] = [of('voice-api'), of('flow-builder'), of('notifications')];

Object.assign(oazVoice.defaults, voice);
Object.assign(oazFlows.defaults, flows);
Object.assign(oazNotifications.defaults, notifications);
const made = await oazVoice.createBot({ name: 'Oaz' });
if (made.status !== 201) throw new Error(String(made.status));
const read = await oazVoice.getBot(made.data.data.id);
console.log('oazapfts', read.status === 200 ? read.data.data.name : read.status);
const missing = await oazVoice.getBot('none');
console.log('oazapfts', missing.status === 404 ? missing.data.error.code : missing.status);
const oazListed = await oazFlows.listFlows();
console.log('oazapfts', oazListed.status === 200 ? oazListed.data.items.length : oazListed.status);
const oazCategories = await oazNotifications.listCategories();
console.log('oazapfts', oazCategories.status === 200 ? oazCategories.data.items.length : oazCategories.status);

const plainFetch = globalThis.fetch;
const at = (origin: string) => (globalThis.fetch = ((path: string, init?: RequestInit) => plainFetch(origin + path, init)) as typeof fetch);
at(voice.baseUrl);
const orvalMade = await orvalVoice.createBot({ name: 'Orval' }, { headers: voice.headers });
if (orvalMade.status !== 201) throw new Error(String(orvalMade.status));
const orvalRead = await orvalVoice.getBot(orvalMade.data.data.id, { headers: voice.headers });
console.log('orval', orvalRead.status === 200 ? orvalRead.data.data.name : orvalRead.status);
const orvalMissing = await orvalVoice.getBot('none', { headers: voice.headers });
console.log('orval', orvalMissing.status === 404 ? orvalMissing.data.error.code : orvalMissing.status);
at(flows.baseUrl);
const orvalListed = await orvalFlows.listFlows(undefined, { headers: flows.headers });
console.log('orval', orvalListed.status === 200 ? orvalListed.data.items.length : orvalListed.status);
at(notifications.baseUrl);
const orvalCategories = await orvalNotifications.listCategories({ headers: notifications.headers });
console.log('orval', orvalCategories.status === 200 ? orvalCategories.data.items.length : orvalCategories.status);
globalThis.fetch = plainFetch;

const settings = ({ baseUrl, headers }: typeof voice) => ({ baseUrl, baseApiParams: { headers } });
const staVoice = new StaVoice(settings(voice));
const staMade = await staVoice.v1.createBot({ name: 'Sta' });
console.log('swagger-typescript-api', (await staVoice.v1.getBot(staMade.data.data.id)).data.data.name);
const refused: unknown = await staVoice.v1.getBot('none').catch((answer: unknown) => answer);
console.log('swagger-typescript-api', (refused as { error: { error: { code: string } } }).error.error.code);
console.log('swagger-typescript-api', (await new StaFlows(settings(flows)).v1.listFlows()).data.items.length);
console.log('swagger-typescript-api', (await new StaNotifications(settings(notifications)).v1.listCategories()).data.items.length);
`;

const EXPECTED = ['oazapfts Oaz', 'orval Orval', 'swagger-typescript-api Sta'].flatMap((first) => {
  const [generator] = first.split(' ');
  return [first, `${generator} NOT_FOUND`, `${generator} 0`, `${generator} 0`];
});
