// THE table of the channels, and which of them this deployment has.
import type { ChannelName } from '@parley/queues';
import type { Config } from '../config.ts';
import type { Channel } from './channel.ts';
import { chat } from './chat.ts';
import { email } from './email.ts';
import { inApp } from './in-app.ts';
import { webPush } from './web-push.ts';
import { webhook } from './webhook.ts';

const table: Readonly<Record<ChannelName, Channel>> = {
  chat,
  webhook,
  email,
  in_app: inApp,
  web_push: webPush,
};

/** Worked off whatever this deployment has: jobs of a channel that was switched off must come to their end. */
export const CHANNEL_QUEUES = Object.values(table).flatMap(({ queue }) => queue ?? []);

export type Channels = ReadonlyMap<ChannelName, Channel>;

/** A channel that is not among them is unknown: a request for it is refused as one for any other unknown name. */
export function createChannels(config: Config): Channels {
  const channels = Object.values(table).filter((channel) => channel.isOn?.(config) ?? true);
  return new Map(channels.map((channel) => [channel.name, channel]));
}
