// Puts the demo flow into the flow builder, over its public API.
import orderStatus from '../demo/order-status.json' with { type: 'json' };
import { callService, expectStatus } from './call-service.ts';
import type { ServiceAccess } from './call-service.ts';

/** Of the file demo/order-status.json: the body of POST /v1/flows. */
interface DemoFlow {
  readonly flow_id: string;
  readonly name: string;
  readonly definition: object;
}

/**
 * Creates and publishes the demo flow where it is missing, and returns its id. One that is there is
 * left alone, published or not, changed or not: it is the developer's to play with.
 */
export async function keepDemoFlow(builder: ServiceAccess): Promise<string> {
  const flow: DemoFlow = orderStatus;
  const head = await callService(builder, 'GET', `/v1/flows/${flow.flow_id}`);
  if (head.status === 200) return flow.flow_id;
  expectStatus(head, 404);
  expectStatus(await callService(builder, 'POST', '/v1/flows', flow), 201);
  expectStatus(await callService(builder, 'POST', `/v1/flows/${flow.flow_id}/publish`, {}), 200);
  return flow.flow_id;
}
