// The attacker's process: prepares and runs the attacks. attacker.ts starts it.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setPriority } from 'node:os';
import { receiver, type Receiver } from '@parley/testing';
import { SILENT_PATH, times, type Attack, type AttackContext } from './attack.ts';
import type { AttackResult, AttackerConfig, AttackerCommand } from './attacker.ts';
import { attacks } from './attacks.ts';
import { serveCommands } from './child-process.ts';
import { send, encodeRequest, type Answer, type AttackRequest } from './send.ts';

/** More than an organisation may have in flight. */
const SILENT_RECEIVERS = 40;
const LOWEST_PRIORITY = 19;

const never = new AbortController().signal;
let at: AttackerConfig;
let own: Receiver;
let silent: readonly string[];

function createContext({ plan }: Attack): AttackContext {
  const { origin, keys } = at;
  const key = keys[plan ?? 'enterprise'];
  const ask = (request: AttackRequest) => send(origin, key, encodeRequest(request), never);
  return { origin, key, ask, receiver: own, silent, kill };
}

async function prepare(attack: Attack, round: number): Promise<string | undefined> {
  const { ask } = createContext(attack);
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

async function make(attack: Attack, round: number): Promise<AttackResult> {
  const request = attack.request && encodeRequest(attack.request(round));
  const { origin, key } = createContext(attack);
  const startedMs = performance.now();
  let answer: Answer = { status: 0, text: '' };
  let thrown: string | undefined;
  try {
    answer = request
      ? await send(origin, key, request, never)
      : await attack.load!(createContext(attack), round);
  } catch (error) {
    thrown = error instanceof Error ? error.message : String(error);
  }
  const ms = performance.now() - startedMs;
  const { status, text } = answer;
  const wrong = thrown ?? findProblem(attack, answer);
  return {
    status,
    code: /"code":"(\w+)"/.exec(text)?.[1] ?? '',
    ms,
    ...(wrong === undefined ? {} : { wrong }),
  };
}

function findProblem({ expected, says }: Attack, { status, text }: Answer): string | undefined {
  if (!expected.includes(status)) return `answered ${status} ${text.slice(0, 200)}`;
  if (says && !says.test(text)) return `does not say ${String(says)}: ${text.slice(0, 200)}`;
  return undefined;
}

/** Accepts connections and never answers; discards what it receives. */
async function startSilent(): Promise<string> {
  const server = createServer((request) => void request.resume());
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function handle(command: AttackerCommand): Promise<AttackResult | string | undefined> {
  if ('setUp' in command) {
    at = command.setUp;
    own = await receiver({ fallback: ({ path }) => (path === SILENT_PATH ? 'hang' : 200) });
    silent = await Promise.all(times(SILENT_RECEIVERS, startSilent));
    return undefined;
  }
  const name = 'prepare' in command ? command.prepare : command.attack;
  const attack = attacks.find((one) => one.service === at.service && one.name === name)!;
  return 'prepare' in command ? prepare(attack, command.round) : make(attack, command.round);
}

/** On Linux the priority belongs to a thread, and also to a session (autogroup). */
function lowerPriority(): void {
  if (process.platform !== 'linux') return setPriority(LOWEST_PRIORITY);
  for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), LOWEST_PRIORITY);
  const session = '/proc/self/autogroup';
  if (existsSync(session)) writeFileSync(session, String(LOWEST_PRIORITY));
}

lowerPriority();
const kill = serveCommands(handle);
