// GET /asyncapi.json: the events that a service sends, as AsyncAPI 3.0. Built from the same
// catalogue and schemas as the `webhooks` of /openapi.json, so both describe the same bodies.
import type { buildOpenApi, ApiInfo, WebhookDescription } from './openapi.ts';

type OpenApi = ReturnType<typeof buildOpenApi>;

/** References to schemas have the same form in both kinds of document. */
const SCHEMA_REFERENCE = /"#\/components\/schemas\/([^"]+)"/g;

export function buildAsyncApi(info: ApiInfo, webhooks: readonly WebhookDescription[], openapi: OpenApi) {
  const messages = Object.fromEntries(webhooks.map((one) => [one.event, toMessage(one, openapi)]));
  const events = Object.keys(messages);
  return {
    asyncapi: '3.0.0',
    info: {
      title: `${info.title}: events`,
      version: info.version,
      description:
        'Requests to the addresses of customers. A 2xx accepts an event; it is repeated after any other answer.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    channels: {
      webhooks: {
        address: null,
        description: 'The address that a customer registered or sent.',
        messages: Object.fromEntries(
          events.map((event) => [event, { $ref: `#/components/messages/${event}` }]),
        ),
      },
    },
    operations: {
      sendEvent: {
        action: 'send',
        summary: 'Send an event to the address of a customer',
        channel: { $ref: '#/channels/webhooks' },
        bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
        messages: events.map((event) => ({ $ref: `#/channels/webhooks/messages/${event}` })),
      },
    },
    components: { messages, schemas: collectSchemas(messages, openapi) },
  };
}

function toMessage({ event, summary, example }: WebhookDescription, { webhooks, components }: OpenApi) {
  const { post } = webhooks![event] as unknown as {
    post: {
      parameters: readonly ({ $ref: string } | Parameter)[];
      requestBody: { content: { 'application/json': { schema: object } } };
    };
  };
  const shared = components.parameters as Readonly<Record<string, Parameter>>;
  const headers = post.parameters.map((one) =>
    '$ref' in one ? shared[one.$ref.slice('#/components/parameters/'.length)]! : one,
  );
  return {
    name: event,
    title: event,
    summary,
    headers: {
      type: 'object',
      properties: Object.fromEntries(
        headers.map(({ name, description, schema }) => [name, { ...schema, description }]),
      ),
      required: headers.filter(({ required }) => required).map(({ name }) => name),
    },
    payload: post.requestBody.content['application/json'].schema,
    ...(example && { examples: [{ name: 'example', payload: example }] }),
  };
}

interface Parameter {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: object;
}

/** The schemas that `messages` need, directly or through others. */
function collectSchemas(messages: object, { components }: OpenApi): Record<string, object> {
  const all = components.schemas as Readonly<Record<string, object>>;
  const found: Record<string, object> = {};
  const visit = (value: object): void => {
    for (const [, name] of JSON.stringify(value).matchAll(SCHEMA_REFERENCE)) {
      if (name! in found) continue;
      found[name!] = all[name!]!;
      visit(all[name!]!);
    }
  };
  visit(messages);
  return found;
}
