// What `npm start` and `npx parley` print when everything runs. Pure.
import { LOOPBACK_RECEIVERS, type ServiceName, type Stack } from './stack/index.ts';

/**
 * Small enough to read in a terminal, and without a single quote, since the curl line puts it
 * between two.
 */
const HELLO_FLOW = {
  flow_id: 'greeting',
  name: 'Greeting',
  definition: {
    nodes: [
      { id: 'start', type: 'collect', prompt: 'What is your name?', variable: 'name' },
      { id: 'bye', type: 'end', message: 'Hello {{ name }}, your first flow works.' },
    ],
    edges: [{ source: 'start', target: 'bye' }],
  },
};

/**
 * Three lines that work when pasted, again and again: the same flow twice is answered with the
 * stored one.
 */
export function curlLines({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }, botId: string): string[] {
  const flow = `${baseUrl}/v1/flows`;
  const turn = { session_id: 's1', bot_id: botId, current_node: 'start', user_input: 'Ada', variables: {} };
  const post = (url: string, body: object): string =>
    `curl -sS ${url} -H 'authorization: Bearer ${apiKey}' -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
  return [
    post(flow, HELLO_FLOW),
    post(`${flow}/${HELLO_FLOW.flow_id}/publish`, {}),
    post(`${baseUrl}/product/v1/flows/${HELLO_FLOW.flow_id}/execute`, turn),
  ];
}

/** What was put into the services to try things out with. */
export interface Demo {
  readonly flowId: string;
  readonly botId: string;
  readonly receiverUrl: string;
  /** Signs in to the console, once. */
  readonly link: string;
  /** Of the demo user; absent where an identity provider issues tokens. */
  readonly token?: string | undefined;
  /** How a person calls the operator's program: `npm run parley --`. */
  readonly operatorProgram: string;
}

export const DEMO_USER = 'ada';

/** Each service that runs, with its address and an admin key. */
export function serviceRows({ services }: Stack): string[] {
  return (Object.keys(services) as ServiceName[]).map((name) => {
    const { baseUrl, apiKey } = services[name];
    return `  ${name.padEnd(14)} ${baseUrl.padEnd(26)} ${apiKey}`;
  });
}

function tokenLines({ token, operatorProgram }: Demo): string[] {
  if (token === undefined) return [];
  return [
    `An identity token of the user "${DEMO_USER}" for your page (docs/inbox.md), for 12 hours:`,
    '',
    `  ${token}`,
    '',
    `Another one: ${operatorProgram} token mint --user ${DEMO_USER}`,
    '',
  ];
}

/** Everything a person needs to go on; `home` is where the stack keeps its files. */
export function welcome(stack: Stack, demo: Demo, home: string): string {
  const [create = '', publish = '', execute = ''] = curlLines(stack.services['flow-builder'], demo.botId);
  return [
    '',
    'Parley is running. Open the console; the link signs you in once, within ten minutes:',
    '',
    `  ${demo.link}`,
    '',
    `Another one: ${demo.operatorProgram} console link --org demo`,
    '',
    `Organisation "${stack.organizationId}", with an admin key for each product:`,
    '',
    ...serviceRows(stack),
    '',
    `Each service explains its API at /docs. A demo flow is published as "${demo.flowId}", and ${demo.botId} is a bot that`,
    `talks through it, and has held a first conversation. Its webhook goes to ${demo.receiverUrl}: what arrives there is printed below.`,
    'To make a flow of your own, and to see a conversation with it arrive as a webhook:',
    '',
    '  # create a flow',
    `  ${create}`,
    '  # publish it',
    `  ${publish}`,
    '  # execute a turn of it, as a conversation of the demo bot',
    `  ${execute}`,
    '',
    ...tokenLines(demo),
    `Queues: ${stack.queueDescription}. Logs: ${home}/logs. The same facts for programs: ${home}/dev.json.`,
    `Receivers and tools on this machine may be called (OUTBOUND_ALLOW, default ${LOOPBACK_RECEIVERS}); production refuses them.`,
    'Ctrl-C stops everything; the data stays.',
  ].join('\n');
}
