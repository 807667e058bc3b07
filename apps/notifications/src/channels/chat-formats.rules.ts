// How each chat product wants a message: detected from the address, its body, its limit. Pure.
//
// Two promises hold for all of them: a text that is too long is cut at a grapheme, with "…", instead of being refused by
// the provider; and nothing in a message calls people by itself (@everyone and the like), since messages often repeat
// what somebody else wrote.

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

/** What a body is made of. */
export interface ChatText {
  /** Absent when it would only repeat the beginning of the message. */
  readonly subject?: string | undefined;
  readonly message: string;
}

/** Which product an address belongs to, by its parsed parts: a name somewhere else in the URL does not count. */
export function detectFormat(url: URL): ChatFormat {
  const { hostname, pathname } = url;
  if (hostname === 'hooks.slack.com' || hostname === 'hooks.slack-gov.com') {
    // /workflows/ and /triggers/ take the variables of a workflow: `text` is the one that can be guessed.
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

/** Workflows (Power Automate) under its old and new hosts, and the retired Office 365 connectors, whose format it kept. */
const TEAMS_HOSTS =
  /\.(?:logic\.azure\.(?:com|us)|environment\.api\.powerplatform\.com|webhook\.office\.com)$/;

/** A body, and how long the text in it is: UTF-16 units, never fewer than a provider that counts code points sees. */
interface Written {
  readonly body: object;
  readonly chars: number;
}

interface FormatRow {
  readonly write: (text: ChatText) => Written;
  /** Longest text, where the provider counts that. */
  readonly charsMax?: number;
  /** Longest body, as sent, where the provider counts bytes. */
  readonly bytesMax?: number;
}

/** Title and message as one text in the provider's mark-up. `escape` makes a text mean itself in it. */
function written(
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

const asIs = (text: string) => text;

/** docs.slack.dev/messaging/formatting-message-text: these three, and nothing else. `<!channel>` is no mention after it. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A zero-width space: the word reads the same, and is no mention any more. */
const INVISIBLE = '\u200b';
/** `@here` and `@alice`, but no address of a mailbox: there the sign stands behind a name. */
const silenceAt = (text: string) =>
  text.replace(/(?<![\p{L}\p{N}._%+-])@(?=[\p{L}\p{N}_])/gu, `@${INVISIBLE}`);
/** developers.google.com/workspace/chat/format-messages: `<users/all>` and `<users/123>` mention. */
const silenceUsers = (text: string) => text.replaceAll('<users/', `<${INVISIBLE}users/`);

const FORMATS: Readonly<Record<ChatFormat, FormatRow>> = {
  // docs.slack.dev: text is truncated above 40,000 characters.
  slack: { write: written('*', escapeSlack), charsMax: 40_000 },
  // docs.discord.com/developers/resources/webhook#execute-webhook: content up to 2,000 characters.
  discord: {
    write: written('**', asIs, (content) => ({ content, allowed_mentions: { parse: [] } })),
    charsMax: 2_000,
  },
  // learn.microsoft.com, incoming webhooks: messages of 28 KB.
  teams: { write: (text) => ({ body: teamsCard(text), chars: 0 }), bytesMax: 28 * 1024 },
  // developers.google.com/workspace/chat/api, spaces.messages.create: 32,000 bytes, everything included.
  google_chat: { write: written('*', silenceUsers), bytesMax: 32_000 },
  // docs.mattermost.com: posts of 16,383 characters since 5.0.
  mattermost: { write: written('**', silenceAt), charsMax: 16_383 },
  // Message_MaxAllowedSize is 5,000 unless an administrator changed it; webhooks are held to it (Rocket.Chat #36163).
  rocket_chat: { write: written('*', silenceAt), charsMax: 5_000 },
  generic: { write: written('', asIs) },
};

/** The body to POST, as JSON. */
export function chatBody(format: ChatFormat, { subject, message }: ChatText): string {
  const { write, charsMax = Infinity, bytesMax = Infinity } = FORMATS[format];
  const make = (shortened: string) => {
    const { body, chars } = write({ subject, message: shortened });
    const json = JSON.stringify(body);
    const fits = chars <= charsMax && (bytesMax === Infinity || bytesOf(json) <= bytesMax);
    return { json, fits };
  };
  const whole = make(message);
  return whole.fits ? whole.json : make(longestThatFits(message, (shortened) => make(shortened).fits)).json;
}

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

/** A TextBlock is Markdown: it takes two of them for one. */
const LONE_BREAK = /(?<!\n)\r?\n(?!\r?\n)/g;

/** An Adaptive Card (adaptivecards.io, 1.4) in the envelope that Workflows takes. Mentions need entities, so text has none. */
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

/** A title ends at its line: a break inside would end the mark-up. */
function oneLine(subject: string): string {
  return subject.replace(/\s+/g, ' ').trim();
}

/**
 * As much of the message as fits, with "…" at the end. Whether it fits is asked of the finished body: escaping makes it
 * longer by an amount that only the text knows.
 */
function longestThatFits(message: string, fits: (text: string) => boolean): string {
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

/** The places where a text may be cut without breaking a character that a reader sees as one. */
function graphemeEnds(text: string): number[] {
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(graphemes.segment(text), ({ index, segment }) => index + segment.length);
}

/** The first `charsMax` characters (graphemes) of a text. */
export function firstGraphemes(text: string, charsMax: number): string {
  let count = 0;
  for (const { index } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    if (count === charsMax) return text.slice(0, index);
    count += 1;
  }
  return text;
}
