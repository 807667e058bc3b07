// Pure: detects the chat product from an address, and writes a message in its format and limit.
// A text that is too long is cut at a grapheme, with "…", so that the provider accepts it. No
// message mentions people (@everyone and the like), since messages often quote others.

export const CHAT_FORMATS = [
  'slack',
  'discord',
  'teams',
  'google_chat',
  'mattermost',
  'rocket_chat',
  'generic',
] as const;
export type ChatFormat = (typeof CHAT_FORMATS)[number];

export interface ChatText {
  /** Absent when it only repeats the beginning of the message. */
  readonly subject?: string | undefined;
  readonly message: string;
}

/** By the parsed parts of the address: a product's name elsewhere in it does not count. */
export function detectFormat(url: URL): ChatFormat {
  const { hostname, pathname } = url;
  if (hostname === 'hooks.slack.com' || hostname === 'hooks.slack-gov.com') {
    // /workflows/ and /triggers/ expect variables of a workflow; `text` is the most likely name.
    return pathname.startsWith('/services/') ? 'slack' : 'generic';
  }
  if (/^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/.test(hostname)) {
    const [, suffix] = /^\/api\/(?:v\d+\/)?webhooks\/\d+\/[\w-]+(\/slack|\/github)?\/?$/.exec(pathname) ?? [
      undefined,
      '',
    ];
    if (suffix === '/slack') return 'slack';
    return suffix === '/github' ? 'generic' : 'discord';
  }
  if (TEAMS_HOSTS.test(hostname) || pathname.endsWith('/triggers/manual/paths/invoke')) return 'teams';
  if (hostname === 'chat.googleapis.com') return 'google_chat';
  if (/\/hooks\/[a-z0-9]{26}\/?$/.test(pathname)) return 'mattermost';
  if (/\/hooks\/[A-Za-z0-9]+\/[A-Za-z0-9]+\/?$/.test(pathname)) return 'rocket_chat';
  return 'generic';
}

/** Power Automate's old and new hosts, and the retired Office 365 connectors. */
const TEAMS_HOSTS =
  /\.(?:logic\.azure\.(?:com|us)|environment\.api\.powerplatform\.com|webhook\.office\.com)$/;

/** A body and the length of its text in UTF-16 units. */
interface FormattedBody {
  readonly body: object;
  readonly chars: number;
}

interface FormatRow {
  readonly write: (text: ChatText) => FormattedBody;
  /** Longest text, if the provider counts it. */
  readonly charsMax?: number;
  /** Longest body in bytes, if the provider counts them. */
  readonly bytesMax?: number;
}

/** Title and message in the provider's mark-up, which `escape` disables in a text. */
function createWriter(
  mark: string,
  escape: (text: string) => string,
  body: (text: string) => object = (text) => ({ text }),
): FormatRow['write'] {
  return ({ subject, message }) => {
    const title = subject === undefined ? [] : [`${mark}${escape(oneLine(subject))}${mark}`];
    const text = [...title, escape(message)].join('\n');
    return { body: body(text), chars: text.length };
  };
}

const keepText = (text: string) => text;

/** docs.slack.dev/messaging/formatting-message-text. This also disables `<!channel>`. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A zero-width space breaks a mention and reads the same. */
const INVISIBLE = '\u200b';
/** Matches `@here` and `@alice` but not mail addresses, where a name precedes the sign. */
const silenceAt = (text: string) =>
  text.replace(/(?<![\p{L}\p{N}._%+-])@(?=[\p{L}\p{N}_])/gu, `@${INVISIBLE}`);
/** developers.google.com/workspace/chat/format-messages: these are mentions. */
const silenceUsers = (text: string) => text.replaceAll('<users/', `<${INVISIBLE}users/`);

const FORMATS: Readonly<Record<ChatFormat, FormatRow>> = {
  // docs.slack.dev: text is truncated above 40,000 characters.
  slack: { write: createWriter('*', escapeSlack), charsMax: 40_000 },
  // docs.discord.com/developers/resources/webhook#execute-webhook: content up to 2,000 characters.
  discord: {
    write: createWriter('**', keepText, (content) => ({ content, allowed_mentions: { parse: [] } })),
    charsMax: 2_000,
  },
  // learn.microsoft.com, incoming webhooks: messages of 28 KB.
  teams: { write: (text) => ({ body: teamsCard(text), chars: 0 }), bytesMax: 28 * 1024 },
  // developers.google.com/workspace/chat/api, spaces.messages.create: 32,000 bytes in all.
  google_chat: { write: createWriter('*', silenceUsers), bytesMax: 32_000 },
  // docs.mattermost.com: posts of 16,383 characters since 5.0.
  mattermost: { write: createWriter('**', silenceAt), charsMax: 16_383 },
  // Default of Message_MaxAllowedSize, which also limits webhooks (Rocket.Chat #36163).
  rocket_chat: { write: createWriter('*', silenceAt), charsMax: 5_000 },
  generic: { write: createWriter('', keepText) },
};

/** The body to POST, as JSON. */
export function chatBody(format: ChatFormat, { subject, message }: ChatText): string {
  const { write, charsMax = Infinity, bytesMax = Infinity } = FORMATS[format];
  const make = (shortened: string) => {
    const { body, chars } = write({ subject, message: shortened });
    const json = JSON.stringify(body);
    const fits = chars <= charsMax && (bytesMax === Infinity || countBytes(json) <= bytesMax);
    return { json, fits };
  };
  const whole = make(message);
  return whole.fits ? whole.json : make(truncateToFit(message, (shortened) => make(shortened).fits)).json;
}

const countBytes = (text: string) => new TextEncoder().encode(text).length;

/** Markdown in a TextBlock needs two line breaks for one. */
const LONE_BREAK = /(?<!\n)\r?\n(?!\r?\n)/g;

/** An Adaptive Card (adaptivecards.io, 1.4) for Workflows. Its text cannot mention people. */
function teamsCard({ subject, message }: ChatText): object {
  const block = { type: 'TextBlock', wrap: true };
  const title = subject === undefined ? [] : [{ ...block, text: subject, weight: 'Bolder', size: 'Medium' }];
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [...title, { ...block, text: message.replace(LONE_BREAK, '\n\n') }],
        },
      },
    ],
  };
}

/** A line break in a title would end the mark-up. */
function oneLine(subject: string): string {
  return subject.replace(/\s+/g, ' ').trim();
}

/** The longest beginning that fits, with "…". Tests finished bodies: escaping adds length. */
function truncateToFit(message: string, fits: (text: string) => boolean): string {
  const ends = graphemeEnds(message);
  const cut = (count: number) => `${message.slice(0, count === 0 ? 0 : ends[count - 1])}…`;
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(cut(middle))) low = middle;
    else high = middle - 1;
  }
  return cut(low);
}

/** Positions at which a cut does not break a grapheme. */
function graphemeEnds(text: string): number[] {
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(graphemes.segment(text), ({ index, segment }) => index + segment.length);
}
