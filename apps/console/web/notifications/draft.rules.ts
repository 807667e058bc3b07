// What somebody has filled in, and the request that it makes. Pure.
import type { NotifyBody } from './api.ts';
import type { Channel } from './channels.ts';

export type PushTo = 'user' | 'everybody';

export interface Draft {
  readonly channels: readonly Channel[];
  readonly subject: string;
  readonly message: string;
  readonly email: string;
  readonly webhookUrl: string;
  readonly chatUrl: string;
  readonly inAppUser: string;
  readonly pushTo: PushTo;
  readonly pushUser: string;
  readonly pushUrl: string;
  /** As the browser's field writes it, in the time of this machine. */
  readonly sendAt: string;
}

export const emptyDraft: Draft = {
  channels: ['in_app'],
  subject: '',
  message: '',
  email: '',
  webhookUrl: '',
  chatUrl: '',
  inAppUser: '',
  pushTo: 'user',
  pushUser: '',
  pushUrl: '',
  sendAt: '',
};

type Target = NonNullable<NotifyBody['target']>;

/** Only what a requested channel needs: a target of another one is refused. */
export function requestOf(draft: Draft): NotifyBody {
  const target: Target = Object.fromEntries(
    draft.channels.map((channel) => [channel, TARGETS[channel](draft)]),
  );
  return {
    channels: [...draft.channels],
    message: draft.message,
    target,
    dry_run: false,
    ...(draft.subject.trim() === '' ? {} : { subject: draft.subject }),
    ...(draft.sendAt === '' ? {} : { send_at: Math.floor(new Date(draft.sendAt).getTime() / 1000) }),
  };
}

const given = (name: string, text: string) => (text.trim() === '' ? {} : { [name]: text.trim() });

const TARGETS: { readonly [C in Channel]: (draft: Draft) => Target[C] } = {
  in_app: ({ inAppUser }) => given('user_id', inAppUser),
  email: ({ email }) => ({ email: email.trim() }),
  chat: ({ chatUrl }) => given('webhook_url', chatUrl),
  webhook: ({ webhookUrl }) => ({ url: webhookUrl.trim() }),
  web_push: ({ pushTo, pushUser, pushUrl }) => ({
    ...(pushTo === 'everybody' ? { broadcast: true } : { user_id: pushUser.trim() }),
    ...given('url', pushUrl),
  }),
};
