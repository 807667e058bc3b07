// Derives attacks from the endpoint table: every member of every request body, by size, depth and
// cost. One endpoint is one row; its code names the slowest member.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName } from '@parley/dev/stack';
import { parseOperations, type Operation } from '../../fuzz/operations.ts';
import type { Attack, AttackContext } from '../attack.ts';
import type { Answer, AttackRequest } from '../send.ts';
import { listHostileValues } from './hostile.ts';
import { buildMinimalBody, PLAIN_VALUES, listPlaces, type BodyDescription } from './places.ts';

const root = new URL('../../../../../', import.meta.url);
const read = (file: string) =>
  JSON.parse(readFileSync(new URL(file, root), 'utf8')) as Readonly<Record<string, unknown>>;

const ID = 'siege-derived';
const template = { default_locale: 'en', locales: [{ locale: 'en', message: 'Hello' }] };
const workflow = { template: { id: ID } };
const send = { channels: ['in_app'], target: { in_app: { user_id: ID } }, message: 'siege' };
const started = {
  id: ID,
  type: 'conversation.started',
  conversation_id: ID,
  data: {},
  occurred_at: '2026-01-01T00:00:00.000Z',
};

/** Endpoints with a body that are not attacked, with the reason. */
export const NOT_ATTACKED: Readonly<Record<string, string>> = {
  takeSendGridEvents: 'a body without a signature of SendGrid is refused before it is parsed',
  takeSesEvents: 'a message without a signature of Amazon SNS is refused',
  takeMailgunEvents: 'an event without a signature of Mailgun is refused',
  takePostmarkEvents: 'an event without the password is refused before it is parsed',
  takeResendEvents: 'an event without a signature of Svix is refused before it is parsed',
};

/**
 * Endpoints that refuse even the minimal body, with the reason. Attacks reach their checks only.
 */
export const REFUSED: Readonly<Record<string, string>> = {
  replayTurns:
    'a turn holds a recording that the service signed; the list of flow-builder.ts attacks with a real one',
  teachFlow: 'the turn that teaches is a recording, and must be among `turns`',
  proposeChange: 'without a provider of models a sound draft is refused',
};

/** Members without which a body that fits its schema does not reach the work. */
const BODY_MEMBERS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  simulateFlow: { utterances: ['three'] },
  reachPlace: { node_id: 'end' },
  readAnswer: { node_id: 'ask', utterance: 'three' },
  compareFlows: { from: 1, to: 1 },
  importFlow: { source: read('libs/importers/test/fixtures/retell-states.json') },
  createResponse: { model: ID, input: 'three' },
  createChatCompletion: { model: ID, messages: [{ role: 'user', content: 'three' }] },
  takeConversationEvents: { events: [started] },
  updateConversation: { summary: 'siege' },
  holdConversation: { reason: 'siege' },
  updateConversations: { filter: { bot_id: ID }, changes: { summary: 'siege' } },
  deleteConversations: { filter: { bot_id: ID } },
  replayDeliveries: { since: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' },
  publishTemplate: { version: 1 },
  publishWorkflow: { version: 1 },
  snoozeNotification: { until: Math.floor(Date.now() / 1000) + 3_600 },
  registerWebhook: { url: 'http://127.0.0.1:9/x', events: ['conversation.ended'] },
  saveTemplate: template,
  saveWorkflow: workflow,
  previewTemplateDraft: template,
  notify: send,
  sendNotification: send,
  notifyMany: { sends: [send] },
};

/** Resources with an id of the attacker's choice, created before the first attack on a service. */
const RESOURCES: Readonly<Record<ServiceName, readonly AttackRequest[]>> = {
  'flow-builder': [
    { method: 'POST', path: '/v1/flows', body: { flow_id: ID, definition: PLAIN_VALUES['definition'] } },
    { method: 'POST', path: `/v1/flows/${ID}/publish`, body: {} },
  ],
  'voice-api': [{ method: 'POST', path: '/v1/conversations/events', body: { events: [started] } }],
  notifications: [
    { method: 'PUT', path: `/v1/categories/${ID}`, body: { name: 'siege' } },
    { method: 'PUT', path: `/v1/templates/${ID}`, body: template },
    { method: 'PUT', path: `/v1/workflows/${ID}`, body: workflow },
    { method: 'POST', path: '/v1/notify', body: send },
  ],
};

/** Reports of calls, by the vendor that sends them. */
const REPORTS: Readonly<Record<string, string>> = {
  Vapi: 'vapi-end-of-call',
  Retell: 'retell-call-ended',
  ElevenLabs: 'elevenlabs-transcription',
  LiveKit: 'livekit-room-finished',
};

const PAUSE_MS = 5;

export function bodyOperations(service: ServiceName): Operation[] {
  return parseOperations(service, read(`apps/${service}/openapi.json`)).filter(({ body }) => body !== null);
}

/** Operations of the product face have the same bodies. */
const getBaseName = ({ id }: Pick<Operation, 'id'>) => id.replace(/OnProductFace$/, '');

export function describeBody({ id, body, components }: Operation): BodyDescription {
  const given = BODY_MEMBERS[getBaseName({ id })] ?? readReport(id);
  return { body: body!, components, ...(given && { given }) };
}

/** A whole report: the schema says little of what a vendor sends. */
function readReport(operationId: string): Readonly<Record<string, unknown>> | undefined {
  const [, vendor = ''] = /^(?:import|receive)(\w+)Call$/.exec(operationId) ?? [];
  const name = REPORTS[vendor];
  return name === undefined ? undefined : read(`apps/voice-api/test/conversations/reports/${name}.json`);
}

/** A generator, because some bodies are large. */
export function* hostileBodies(
  operation: Operation,
): Iterable<{ readonly name: string; readonly body: unknown }> {
  for (const place of listPlaces(describeBody(operation)))
    for (const { how, value } of listHostileValues(place))
      yield { name: `${how} ${place.path || '/'}`, body: place.body(value) };
}

export function derivedAttacks(service: ServiceName): Attack[] {
  return bodyOperations(service)
    .filter(({ id }) => NOT_ATTACKED[id] === undefined)
    .map((operation) => ({
      name: `every member of ${operation.id}`,
      service,
      derived: true,
      load: (field) => attackAll(field, operation),
      expected: [200],
    }));
}

/** Returns 200 with the slowest place, or the first answer that a healthy service does not give. */
async function attackAll(field: AttackContext, operation: Operation): Promise<Answer> {
  const method = operation.method as AttackRequest['method'];
  await createResources(field, operation.service);
  const path = await resolvePath(field, operation);
  const base = await field.ask({ method, path, body: buildMinimalBody(describeBody(operation)) });
  if (base.status === 0 || base.status >= 300 !== (REFUSED[getBaseName(operation)] !== undefined))
    return { status: base.status, text: `the least valid body: ${base.text}` };
  let slowest = { name: 'none', ms: 0 };
  for (const { name, body } of hostileBodies(operation)) {
    const startedMs = performance.now();
    const { status, text } = await field.ask({ method, path, body });
    const ms = performance.now() - startedMs;
    if (status === 0 || status === 500) return { status, text: `${name}: ${text}` };
    if (ms > slowest.ms) slowest = { name, ms };
    await sleep(PAUSE_MS);
  }
  return { status: 200, text: `"code":"${slowest.name.replaceAll(/\W+/g, '_')}"` };
}

/** Uses ids of existing resources, because an unknown id keeps an attack from the work. */
export async function resolvePath(
  field: Pick<AttackContext, 'ask'>,
  { service, path, parameters }: Operation,
): Promise<string> {
  const parts = path.slice(1).split('/');
  let made = '';
  for (const part of parts)
    made += `/${part.startsWith('{') ? await findId(field, service, made, part) : part}`;
  return parameters.some(({ in: where, name }) => where === 'query' && name === 'user_id')
    ? `${made}?user_id=${ID}`
    : made;
}

async function findId({ ask }: Pick<AttackContext, 'ask'>, service: ServiceName, list: string, name: string) {
  if (name === '{import_token}') {
    const source = list.split('/').at(-1);
    const { text } = await ask({ method: 'POST', path: '/v1/import-tokens', body: { name: ID, source } });
    return /"token":"([\w.-]+)"/.exec(text)?.[1] ?? ID;
  }
  const creating = bodyOperations(service).find(({ method, path }) => method === 'POST' && path === list);
  if (creating && name !== '{flow_id}') {
    const { text } = await ask({
      method: 'POST',
      path: list,
      body: buildMinimalBody(describeBody(creating)),
    });
    const id = parseId(text);
    if (id !== undefined) return id;
  }
  if (name !== '{id}') return ID;
  return parseId((await ask({ method: 'GET', path: `${list}?user_id=${ID}` })).text) ?? ID;
}

function parseId(text: string): string | undefined {
  return /"(?:id|notification_id)":"([\w.-]+)"/.exec(text)?.[1];
}

const prepared = new Set<ServiceName>();

/** Creates the resources of a service once. */
export async function createResources(
  { ask }: Pick<AttackContext, 'ask'>,
  service: ServiceName,
): Promise<void> {
  if (prepared.has(service)) return;
  prepared.add(service);
  for (const request of RESOURCES[service]) await ask(request);
}
