// @parley/sdk. See README.md.
export { Parley } from './parley.ts';
export type { FlowBuilder, Notifications, VoiceApi } from './parley.ts';
export type { Call, Pages } from './call.ts';
export type { Conversation } from './conversation.ts';
export * from './errors.ts';
export type { EventStream, StreamEvent } from './event-stream.ts';
export type { ParleyAnswer, ParleyTurn } from './model-client.ts';
export type {
  Action,
  CallOptions,
  ConversationOptions,
  ConversationState,
  Defaults,
  ParleyOptions,
  ReceivedHeaders,
  ServiceOptions,
  Tool,
  Turn,
  VerifyOptions,
} from './options.ts';
export type { DataOf, InboxEvent, InputOf } from './types.ts';
export type * from './webhook-events.ts';
export { webhooks } from './webhooks.ts';
