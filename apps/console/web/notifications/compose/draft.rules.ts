// The composer's form, and the request that it makes. Pure.
import type { NotifyBody } from '../api.ts';
import { CHANNELS, type Channel } from '../channels.ts';
import { problemOf, readObject, valueOf } from '../json.rules.ts';
import { emptyMail, mailOf, type MailDraft } from './mail.rules.ts';
import { emptyTiming, secondsOf, timingOf, type Timing } from './timing.rules.ts';

/** `each`: every channel has its own target. */
export type Whom = 'each' | 'person' | 'topic' | 'everyone';

export interface Action {
  readonly label: string;
  /** A path or an address, or an id that the page with the inbox handles. */
  readonly leadsTo: string;
}

export interface Draft {
  readonly whom: Whom;
  readonly userId: string;
  readonly topicId: string;
  readonly channels: readonly Channel[];
  readonly says: 'words' | 'template';
  readonly subject: string;
  readonly message: string;
  readonly templateId: string;
  readonly templateVersion: string;
  readonly language: string;
  /** JSON. */
  readonly data: string;
  readonly category: string;
  readonly email: string;
  readonly mail: MailDraft;
  readonly webhookUrl: string;
  readonly chatUrl: string;
  readonly inAppUser: string;
  readonly inAppUrl: string;
  readonly inAppIcon: string;
  readonly inAppCategory: string;
  readonly actions: readonly Action[];
  readonly pushUser: string;
  readonly pushUrl: string;
  /** Local time, as a `datetime-local` input has it. */
  readonly sendAt: string;
  /** A rule such as FREQ=DAILY. */
  readonly repeats: string;
  readonly repeatZone: string;
  readonly timing: Timing;
}

export const emptyDraft: Draft = {
  whom: 'each',
  userId: '',
  topicId: '',
  channels: ['in_app'],
  says: 'words',
  subject: '',
  message: '',
  templateId: '',
  templateVersion: '',
  language: '',
  data: '',
  category: '',
  email: '',
  mail: emptyMail,
  webhookUrl: '',
  chatUrl: '',
  inAppUser: '',
  inAppUrl: '',
  inAppIcon: '',
  inAppCategory: '',
  actions: [],
  pushUser: '',
  pushUrl: '',
  sendAt: '',
  repeats: '',
  repeatZone: '',
  timing: emptyTiming,
};

/** URL parameters with initial values. */
export interface Begin {
  readonly user?: string | undefined;
  readonly topic?: string | undefined;
  readonly template?: string | undefined;
}

export const draftFrom = ({ user, topic, template }: Begin): Draft => ({
  ...emptyDraft,
  ...(user !== undefined && { whom: 'person', userId: user, channels: [] }),
  ...(topic !== undefined && { whom: 'topic', topicId: topic, channels: [] }),
  ...(template !== undefined && { says: 'template', templateId: template }),
});

/** A webhook belongs to no recipient; only the inbox and web push reach everyone. */
export const channelsFor = (whom: Whom): readonly Channel[] =>
  CHANNELS.filter((channel) =>
    whom === 'everyone'
      ? channel === 'in_app' || channel === 'web_push'
      : whom === 'each' || channel !== 'webhook',
  );

/** The service finds the channels of a recipient or topic; otherwise the person chooses them. */
export const findsChannels = ({ whom }: Pick<Draft, 'whom'>): boolean =>
  whom === 'person' || whom === 'topic';

/**
 * The channels that need a target: chosen ones, and those of later steps. For people, no choice
 * means all.
 */
export function targeted(draft: Draft): readonly Channel[] {
  const offered = channelsFor(draft.whom);
  const chosen = offered.filter((channel) => draft.channels.includes(channel));
  const follow = offered.filter((channel) => !chosen.includes(channel) && followsLater(draft, channel));
  return findsChannels(draft) && chosen.length === 0 ? offered : [...chosen, ...follow];
}

const followsLater = ({ timing }: Draft, channel: Channel): boolean =>
  timing.steps.some(({ channels }) => channels.includes(channel));

export const isReady = (draft: Draft): boolean =>
  (findsChannels(draft) || chosenOf(draft).length > 0) &&
  (draft.says === 'words' || problemOf(readObject(draft.data)) === undefined) &&
  draft.timing.steps.every(({ channels, after }) => channels.length > 0 && after !== '');

const chosenOf = ({ channels, whom }: Draft) =>
  channels.filter((channel) => channelsFor(whom).includes(channel));

type Target = NonNullable<NotifyBody['target']>;

/** The API refuses a target of a channel that is not requested. */
export function requestOf(draft: Draft): NotifyBody {
  const chosen = chosenOf(draft);
  return {
    ...(chosen.length > 0 && { channels: chosen }),
    ...(draft.says === 'words' ? wordsOf(draft) : templateOf(draft)),
    target: targetOf(draft),
    dry_run: false,
    ...given('category', draft.category),
    ...(draft.sendAt === '' ? {} : { send_at: secondsOf(draft.sendAt) }),
    ...(draft.repeats.trim() !== '' && {
      schedule: { rrule: draft.repeats.trim(), ...given('timezone', draft.repeatZone) },
    }),
    ...timingOf(draft.timing),
  };
}

/** A digest has no dry run, so the preview shows a single send. */
export function shownRequestOf(draft: Draft): NotifyBody {
  const { digest: _digest, ...request } = requestOf(draft);
  return request;
}

const wordsOf = ({ message, subject }: Draft) => ({
  message,
  ...(subject.trim() === '' ? {} : { subject }),
});

const templateOf = ({ templateId, templateVersion, language, data }: Draft) => ({
  template: {
    id: templateId.trim(),
    ...(templateVersion === '' ? {} : { version: Number(templateVersion) }),
    data: valueOf(readObject(data)) ?? {},
  },
  ...given('locale', language),
});

function targetOf(draft: Draft): Target {
  const parts = targeted(draft).map((channel) => [channel, TARGETS[channel](draft)] as const);
  if (!findsChannels(draft)) return Object.fromEntries(parts);
  return {
    ...(draft.whom === 'person' ? { user_id: draft.userId.trim() } : { topic_id: draft.topicId.trim() }),
    ...Object.fromEntries(parts.filter(([, target]) => Object.keys(target ?? {}).length > 0)),
  };
}

const given = (name: string, text: string) => (text.trim() === '' ? {} : { [name]: text.trim() });

/** A channel has its own address only when the send names no recipient and no topic. */
const toEach = ({ whom }: Draft, target: object) => (whom === 'each' ? target : {});

const TARGETS: { readonly [C in Channel]: (draft: Draft) => Target[C] & object } = {
  in_app: (draft) => ({
    // Without a user the message goes to everyone: an empty field is sent as it is, and refused.
    ...toEach(draft, { user_id: draft.inAppUser.trim() }),
    ...given('url', draft.inAppUrl),
    ...given('icon', draft.inAppIcon),
    ...given('category', draft.inAppCategory),
    ...(draft.actions.length > 0 && { actions: draft.actions.map(actionOf) }),
  }),
  email: (draft) => ({
    ...toEach(draft, { email: draft.email.trim() }),
    // A template brings its own HTML.
    ...mailOf(draft.says === 'words' ? draft.mail : { ...draft.mail, html: '' }, draft.whom === 'topic'),
  }),
  chat: (draft) => toEach(draft, given('webhook_url', draft.chatUrl)),
  webhook: ({ webhookUrl }) => ({ url: webhookUrl.trim() }),
  web_push: (draft) => ({
    ...toEach(draft, { user_id: draft.pushUser.trim() }),
    ...(draft.whom === 'everyone' && { broadcast: true }),
    ...given('url', draft.pushUrl),
  }),
};

const actionOf = ({ label, leadsTo }: Action) => ({
  label: label.trim(),
  ...given(/^(?:\/|[a-z][a-z\d+.-]*:)/i.test(leadsTo.trim()) ? 'url' : 'id', leadsTo),
});
