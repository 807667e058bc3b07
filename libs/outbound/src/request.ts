// Sends everyday calls by got (chat, the generic webhook channel, tool dispatch). Its agents open
// connections through the guard, and everything beyond one request is off: redirects, retries,
// decompression, cookies.
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { got } from 'got';
import type { Clock } from '@parley/server/runtime';
import type { AddressPolicy } from './address-policy.ts';
import { findUnsendable, checkUrlToSend, USER_AGENT, type Call } from './call.ts';
import { ANSWER_HEADER_BYTES_MAX, Exchange, type Outcome } from './exchange.ts';
import { NOT_HTTP, OutboundError } from './failure.ts';
import type { Guard } from './guard.ts';

/**
 * Open connections: in total, to spare file descriptors, and to one host, so that a hanging host
 * leaves some.
 */
const CONNECTIONS_MAX = 1_024;
const CONNECTIONS_PER_HOST_MAX = 32;
const IDLE_CONNECTIONS_MAX = 64;
/** Lifetime of an idle connection; shorter than that of common servers. */
const KEEP_ALIVE_MS = 4_000;

export interface Requester {
  request(call: Call): Promise<Outcome>;
  /** Waits for what is in flight. */
  close(): Promise<void>;
}

/** Connections of a client of the caller's own, opened by the guard. */
export interface GuardedAgents {
  readonly http: http.Agent;
  readonly https: https.Agent;
}

/** `perHostMax`: connections to one host. Further requests wait for one of these. */
export function createGuardedAgents(guard: Guard, perHostMax: number): GuardedAgents {
  const options = { ...agentOptions, maxSockets: perHostMax };
  return { http: guarded(new http.Agent(options), guard), https: guarded(new https.Agent(options), guard) };
}

export function createRequester(options: { policy: AddressPolicy; guard: Guard; clock: Clock }): Requester {
  const { policy, guard, clock } = options;
  const agents = createGuardedAgents(guard, CONNECTIONS_PER_HOST_MAX);
  const inFlight = new Set<Promise<Outcome>>();
  const client = got.extend({
    agent: agents,
    followRedirect: false,
    retry: { limit: 0 },
    throwHttpErrors: false,
    decompress: false,
    maxHeaderSize: ANSWER_HEADER_BYTES_MAX,
    headers: { 'user-agent': USER_AGENT, 'accept-encoding': 'identity' },
  });

  function request(call: Call): Promise<Outcome> {
    const target = checkUrlToSend(call.url, policy);
    if (!target.ok) return Promise.resolve(target.outcome);
    const refused = findUnsendable(call);
    if (refused) return Promise.resolve(refused);
    const outcome = exchanged(target.url, call);
    inFlight.add(outcome);
    return outcome.finally(() => inFlight.delete(outcome));
  }

  function exchanged(url: URL, call: Call): Promise<Outcome> {
    const { method = 'POST', headers = {}, body } = call;
    return new Promise((resolve, reject) => {
      const options = { method, headers: { ...headers }, ...(body === undefined ? {} : { body }) };
      const stream = client.stream(url, options);
      const exchange = new StreamedExchange(call, clock, stream, resolve, reject);
      stream.on('response', (response: http.IncomingMessage) => {
        exchange.started(response.statusCode ?? 0, response.headers);
        if (!call.beforeBody) return exchange.listen();
        stream.pause();
        void exchange.hold(call.beforeBody).then(() => stream.resume());
      });
      // Waiting for a socket of the agent is not the receiver's silence.
      if (call.silentMs !== undefined)
        stream.on('request', (sent: http.ClientRequest) => sent.once('socket', () => exchange.listen()));
      stream.on('upgrade', (_response: http.IncomingMessage, socket: Socket) => {
        socket.destroy(); // got listens for upgrades, so we must close what nobody requested
        exchange.failed(new OutboundError('connection_lost', NOT_HTTP, { status: 101 }));
      });
      stream.on('data', (chunk: Buffer) => exchange.data(chunk));
      stream.on('end', () => exchange.ended());
      stream.on('error', (error: Error) => exchange.failed(error));
      // got waits for a body otherwise
      if (body === undefined && method !== 'GET' && method !== 'HEAD') stream.end();
    });
  }

  return {
    request,
    close: async () => {
      await Promise.allSettled(inFlight);
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** One request: an exchange that got's stream reports to. */
class StreamedExchange extends Exchange {
  protected override readonly settle: (outcome: Outcome) => void;
  protected override readonly bug: (error: Error) => void;
  readonly #stream: Duplex;

  constructor(
    call: Call,
    clock: Clock,
    stream: Duplex,
    settle: (outcome: Outcome) => void,
    bug: (error: Error) => void,
  ) {
    super(call, clock);
    this.#stream = stream;
    this.settle = settle;
    this.bug = bug;
  }

  protected override abort(): void {
    this.#stream.destroy();
  }
}

const agentOptions: https.AgentOptions = {
  keepAlive: true,
  timeout: KEEP_ALIVE_MS, // for idle connections; a request has the exchange's deadline
  maxSockets: CONNECTIONS_PER_HOST_MAX,
  maxTotalSockets: CONNECTIONS_MAX,
};

/**
 * The agent, with connections opened by the guard. Agents separate connections by host and port.
 */
function guarded<Agent extends http.Agent>(agent: Agent, guard: Guard): Agent {
  const secure = agent instanceof https.Agent;
  const wouldKeep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  return Object.assign(agent, {
    createConnection: (target: { host?: string; port?: number | string }): Socket =>
      guard.open({ secure, host: target.host ?? '', port: Number(target.port ?? (secure ? 443 : 80)) }),
    // Node bounds idle connections only per host, and lets a request wait while those of others
    // idle.
    keepSocketAlive: (socket: Duplex): boolean =>
      Object.keys(agent.requests).length === 0 &&
      Object.values(agent.freeSockets).flat().length < IDLE_CONNECTIONS_MAX &&
      wouldKeep(socket),
  });
}
