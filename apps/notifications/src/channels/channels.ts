// The table of all channels, and the channels of this deployment.
import type { ChannelName } from '@parley/jobs';
import type { Config } from '../config.ts';
import type { Channel } from './channel.ts';
import { chat } from './chat/chat.ts';
import { email } from './email/email.ts';
import { inApp } from './in-app/in-app.ts';
import { webPush } from './web-push/web-push.ts';
import { webhook } from './webhook/webhook.ts';

const table: Readonly<Record<ChannelName, Channel>> = {
  chat,
  webhook,
  email,
  in_app: inApp,
  web_push: webPush,
};

/** Queues of all channels: jobs of a channel that was switched off must still end. */
export const CHANNEL_QUEUES = Object.values(table).flatMap(({ queue }) => queue ?? []);

export type Channels = ReadonlyMap<ChannelName, Channel>;

/** A request for a channel outside this map is refused like an unknown name. */
export function createChannels(config: Config): Channels {
  const channels = Object.values(table).filter((channel) => channel.isOn?.(config) ?? true);
  return new Map(channels.map((channel) => [channel.name, channel]));
}
