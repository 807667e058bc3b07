// The client: a method for every operation of the three services, from a table generated from their
// OpenAPI documents.
import { Call, Pages } from './call.ts';
import { Conversation } from './conversation.ts';
import { EventStream } from './event-stream.ts';
import type { operations as FlowOperations } from './generated/flow-builder.ts';
import type { operations as NotificationOperations } from './generated/notifications.ts';
import type { operations as VoiceOperations } from './generated/voice-api.ts';
import * as tables from './operations.ts';
import type { CallOptions, ConversationOptions, Input, Operation, ParleyOptions } from './options.ts';
import { createSender } from './send.ts';
import type { Methods } from './types.ts';

export type FlowBuilder = Methods<typeof tables.flowBuilder, FlowOperations>;
export type VoiceApi = Methods<typeof tables.voiceApi, VoiceOperations>;
export type Notifications = Methods<typeof tables.notifications, NotificationOperations>;

export class Parley {
  readonly flowBuilder: FlowBuilder;
  readonly voiceApi: VoiceApi;
  readonly notifications: Notifications;

  constructor(options: ParleyOptions) {
    this.flowBuilder = createMethods('flowBuilder', options);
    this.voiceApi = createMethods('voiceApi', options);
    this.notifications = createMethods('notifications', options);
  }

  /** A conversation with a flow. The first turn sends the first request. */
  conversation(flowId: string, options: ConversationOptions = {}): Conversation {
    return new Conversation(this.flowBuilder, flowId, options);
  }
}

type Method = (input?: Input, options?: CallOptions) => unknown;

function createMethods<All>(name: 'flowBuilder' | 'voiceApi' | 'notifications', options: ParleyOptions): All {
  const service = options[name];
  const sender = service
    ? createSender(service, options)
    : async () => {
        throw new TypeError(`new Parley({ ${name}: { url, key } }): the service has no URL`);
      };
  const enveloped = name === 'voiceApi';
  const methodOf =
    (operation: Operation): Method =>
    (input = {}, given = {}) =>
      operation.stream
        ? new EventStream(sender, operation, input, given)
        : operation.pages
          ? new Pages(sender, operation, input, given, enveloped)
          : new Call(sender(operation, input, given), enveloped);
  return Object.fromEntries(
    Object.entries<Operation>(tables[name]).map(([id, operation]) => [id, methodOf(operation)]),
  ) as All;
}
