// Which queues belong to which service: the one that works them off. Read by what looks at queues from outside: /metrics,
// the operators' dashboard, the autoscaling of workers (k8s/). A test compares it with the queues that the apps use.
import { ackQueueOf, contracts, SERVICES, type Service } from './messages/contracts.ts';

/** Queues that carry a service's own jobs only (platform §1); those of the contracts are added below. */
const OWN: Readonly<Record<Service, readonly string[]>> = {
  'flow-builder': [],
  'voice-api': [],
  notifications: ['push-sends', 'push-chunks', 'email-jobs', 'chat-sends', 'webhook-sends'],
};

/** The queues whose jobs the service's worker takes: those of the contracts it consumes, its own, its acknowledgements. */
export function queuesOf(service: Service): string[] {
  const consumed = Object.values(contracts)
    .filter((contract) => contract.consumer === service)
    .map((contract) => contract.queue);
  return [...new Set<string>([...consumed, ...OWN[service], ackQueueOf(service)])];
}

/** The service that works a queue off; undefined for a name that is no queue of Parley. */
export function ownerOf(queue: string): Service | undefined {
  return SERVICES.find((service) => queuesOf(service).includes(queue));
}
