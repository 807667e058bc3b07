// The process of the attacker: prepares and makes the attacks of the table. attacker.ts starts it.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setPriority } from 'node:os';
import { receiver, type Receiver } from '@parley/testing';
import { SILENT_PATH, times, type Attack, type Field } from './attack.ts';
import type { Attacked, Settled, Told } from './attacker.ts';
import { attacks } from './attacks.ts';
import { serveSiege } from './other-process.ts';
import { send, written, type Answer, type AttackRequest } from './send.ts';

/** More than an organisation is given places for. */
const SILENT_RECEIVERS = 40;
const LOWEST_PRIORITY = 19;

const never = new AbortController().signal;
let at: Settled;
let own: Receiver;
let silent: readonly string[];

function field({ plan }: Attack): Field {
  const { origin, keys } = at;
  const key = keys[plan ?? 'enterprise'];
  const ask = (request: AttackRequest) => send(origin, key, written(request), never);
  return { origin, key, ask, receiver: own, silent, kill };
}

async function prepare(attack: Attack, round: number): Promise<string | undefined> {
  const { ask } = field(attack);
  for (const request of preparation(attack, round)) {
    const { status, text } = await ask(request);
    if (status === 0 || (status >= 300 && !(status === 422 && text.includes('limit_exceeded'))))
      return `${request.path} ${status} ${text.slice(0, 300)}`;
  }
  return undefined;
}

function* preparation({ prepareOnce, prepare }: Attack, round: number): Iterable<AttackRequest> {
  if (round === 0) yield* prepareOnce?.() ?? [];
  yield* prepare?.(round) ?? [];
}

async function make(attack: Attack, round: number): Promise<Attacked> {
  const request = attack.request && written(attack.request(round));
  const { origin, key } = field(attack);
  const startedMs = performance.now();
  let answer: Answer = { status: 0, text: '' };
  let thrown: string | undefined;
  try {
    answer = request ? await send(origin, key, request, never) : await attack.load!(field(attack), round);
  } catch (error) {
    thrown = error instanceof Error ? error.message : String(error);
  }
  const ms = performance.now() - startedMs;
  const { status, text } = answer;
  const wrong = thrown ?? wrongIn(attack, answer);
  return {
    status,
    code: /"code":"(\w+)"/.exec(text)?.[1] ?? '',
    ms,
    ...(wrong === undefined ? {} : { wrong }),
  };
}

function wrongIn({ expected, says }: Attack, { status, text }: Answer): string | undefined {
  if (!expected.includes(status)) return `answered ${status} ${text.slice(0, 200)}`;
  if (says && !says.test(text)) return `does not say ${String(says)}: ${text.slice(0, 200)}`;
  return undefined;
}

/** Takes connections and never answers; keeps nothing of what it is sent. */
async function startSilent(): Promise<string> {
  const server = createServer((request) => void request.resume());
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function hear(told: Told): Promise<Attacked | string | undefined> {
  if ('settle' in told) {
    at = told.settle;
    own = await receiver({ fallback: ({ path }) => (path === SILENT_PATH ? 'hang' : 200) });
    silent = await Promise.all(times(SILENT_RECEIVERS, startSilent));
    return undefined;
  }
  const name = 'prepare' in told ? told.prepare : told.attack;
  const attack = attacks.find((one) => one.service === at.service && one.name === name)!;
  return 'prepare' in told ? prepare(attack, told.round) : make(attack, told.round);
}

/** Linux takes it for each thread, of which some run already, and beside it for all of a session. */
function goBehindAll(): void {
  if (process.platform !== 'linux') return setPriority(LOWEST_PRIORITY);
  for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), LOWEST_PRIORITY);
  const session = '/proc/self/autogroup';
  if (existsSync(session)) writeFileSync(session, String(LOWEST_PRIORITY));
}

goBehindAll();
const kill = serveSiege(hear);
