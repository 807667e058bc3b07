// The SDK clients of the tools (docs/mcp.md#services).
import type { ServiceName } from '@parley/server/runtime';
import { Parley, type Defaults, type FlowBuilder, type Notifications, type VoiceApi } from '@parley/sdk';
import { ToolError } from './not-done.ts';

/** Access to a missing service throws ToolError; tools without it still work. */
export interface Services {
  readonly flows: FlowBuilder;
  readonly voice: VoiceApi;
  readonly inbox: Notifications;
  /** Whether to validate in this process; otherwise the flow builder does it in a thread. */
  readonly validatesHere: boolean;
}

export interface ServicesOptions extends Defaults {
  /**
   * Default true. Set false in a shared process: a large definition takes seconds
   * (docs/mcp.md#services).
   */
  readonly validatesHere?: boolean;
}

interface Address {
  readonly url: string;
  readonly key: string;
}
export type Addresses = Partial<Record<ServiceName, Address>>;

/** @param absent the message for a service without an address */
export function createServices(
  addresses: Addresses,
  absent: (service: ServiceName) => string,
  { validatesHere = true, ...defaults }: ServicesOptions = {},
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
    throw new ToolError(absent(service));
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
