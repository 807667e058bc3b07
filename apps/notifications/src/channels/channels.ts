// THE table of the channels that this deployment has.
import type { Config } from '../config.ts';
import type { Channel, ChannelName } from './channel.ts';
import { chat } from './chat.ts';
import { email } from './email.ts';
import { inApp } from './in-app.ts';
import { webPush } from './web-push.ts';
import { webhook } from './webhook.ts';

export type Channels = ReadonlyMap<ChannelName, Channel>;

/** A channel that is not in the table is unknown: a request for it is refused as one for any other unknown name. */
export function createChannels(config: Config): Channels {
  const push = config.NOTIFICATIONS_WEB_PUSH_ENABLED ? [webPush] : [];
  const channels: Channel[] = [chat, webhook, email, inApp, ...push];
  return new Map(channels.map((channel) => [channel.name, channel]));
}
