// Puts the demo flow into the flow builder, over its public API. Called by the start command.
import { readFileSync } from 'node:fs';

/** Of the file demo/order-status.json: the body of POST /v1/flows. */
interface DemoFlow {
  readonly flow_id: string;
  readonly name: string;
  readonly definition: object;
}

const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Creates and publishes the demo flow where it is missing, and returns its id. One that is there is left alone, published or
 * not, changed or not: it is the developer's to play with.
 */
export async function keepDemoFlow(builder: { origin: string; apiKey: string }): Promise<string> {
  const file = new URL('../demo/order-status.json', import.meta.url);
  const flow = JSON.parse(readFileSync(file, 'utf8')) as DemoFlow;
  const head = await call(builder, 'GET', `/v1/flows/${flow.flow_id}`);
  if (head.status === 200) return flow.flow_id;
  expectStatus(head, 404);
  expectStatus(await call(builder, 'POST', '/v1/flows', flow), 201);
  expectStatus(await call(builder, 'POST', `/v1/flows/${flow.flow_id}/publish`, {}), 200);
  return flow.flow_id;
}

interface Answer {
  readonly what: string;
  readonly status: number;
  readonly text: string;
}

async function call(
  builder: { origin: string; apiKey: string },
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await fetch(`${builder.origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${builder.apiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  return { what: `${method} ${path}`, status: response.status, text: await response.text() };
}

function expectStatus(answer: Answer, status: number): void {
  if (answer.status === status) return;
  throw new Error(
    `The demo flow could not be made: ${answer.what} was answered ${answer.status} ${answer.text}`,
  );
}
