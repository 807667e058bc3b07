// The clients that the tools ask with (docs/mcp.md#services).
import type { ServiceName } from '@parley/server/runtime';
import { Parley, type Defaults, type FlowBuilder, type Notifications, type VoiceApi } from '@parley/sdk';
import { NotDone } from './not-done.ts';

/** Reading one that is not there throws NotDone, which the assistant is told: the other tools work without it. */
export interface Services {
  readonly flows: FlowBuilder;
  readonly voice: VoiceApi;
  readonly inbox: Notifications;
  /** Whether a definition may be analysed in this process; else the flow builder does it, on a thread. */
  readonly validatesHere: boolean;
}

export interface Ways extends Defaults {
  /** Default true. A process that is shared by many says false: a large definition takes it seconds (docs/mcp.md#services). */
  readonly validatesHere?: boolean;
}

interface Address {
  readonly url: string;
  readonly key: string;
}
export type Addresses = Partial<Record<ServiceName, Address>>;

/** @param absent what is said of a service that has no address. */
export function servicesAt(
  addresses: Addresses,
  absent: (service: ServiceName) => string,
  { validatesHere = true, ...defaults }: Ways = {},
): Services {
  const { 'flow-builder': flowBuilder, 'voice-api': voiceApi, notifications } = addresses;
  const parley = new Parley({
    ...defaults,
    ...(flowBuilder && { flowBuilder }),
    ...(voiceApi && { voiceApi }),
    ...(notifications && { notifications }),
  });
  const known = <Client>(service: ServiceName, client: Client): Client => {
    if (addresses[service]) return client;
    throw new NotDone(absent(service));
  };
  return {
    validatesHere,
    get flows() {
      return known('flow-builder', parley.flowBuilder);
    },
    get voice() {
      return known('voice-api', parley.voiceApi);
    },
    get inbox() {
      return known('notifications', parley.notifications);
    },
  };
}
