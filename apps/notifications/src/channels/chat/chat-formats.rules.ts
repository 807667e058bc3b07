// Pure: detects the chat product from an address, and writes a message in its format and limit.
// A text that is too long is cut at a grapheme, with "…", so that the provider accepts it. No
// message mentions people (@everyone and the like), since messages often quote others.
import { truncateToFit } from '../truncate.rules.ts';

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
  /** Longest body in bytes, if the provider counts them, and how it counts. */
  readonly bytesMax?: number;
  readonly countBytes?: (json: string) => number;
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

const countUtf8 = (text: string) => new TextEncoder().encode(text).length;

/**
 * learn.microsoft.com/microsoftteams/limits-specifications-teams: 28 KB a message. Teams stores the
 * card as a text in its own JSON and counts that: a request of 24,453 bytes was refused as 28,897
 * (github.com/MicrosoftDocs/msteams-docs/issues/11274).
 */
const TEAMS_BYTES_MAX = 23 * 1024;

/** The card as a JSON text, in UTF-8 or in the UTF-16 of connectors, whichever is larger. */
function countTeamsBytes(json: string): number {
  const text = JSON.stringify(json);
  return Math.max(countUtf8(text), 2 * text.length);
}

// The limits with their sources are a table of docs/notifications.md#chat-products.
const FORMATS: Readonly<Record<ChatFormat, FormatRow>> = {
  // docs.slack.dev: text is truncated above 40,000 characters.
  slack: { write: createWriter('*', escapeSlack), charsMax: 40_000 },
  // docs.discord.com/developers/resources/webhook#execute-webhook: content up to 2,000 characters.
  discord: {
    write: createWriter('**', keepText, (content) => ({ content, allowed_mentions: { parse: [] } })),
    charsMax: 2_000,
  },
  teams: {
    write: (text) => ({ body: teamsCard(text), chars: 0 }),
    bytesMax: TEAMS_BYTES_MAX,
    countBytes: countTeamsBytes,
  },
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
  const { write, charsMax = Infinity, bytesMax = Infinity, countBytes = countUtf8 } = FORMATS[format];
  const make = (shortened: string) => {
    const { body, chars } = write({ subject, message: shortened });
    const json = JSON.stringify(body);
    const fits = chars <= charsMax && (bytesMax === Infinity || countBytes(json) <= bytesMax);
    return { json, fits };
  };
  const whole = make(message);
  return whole.fits ? whole.json : make(truncateToFit(message, (shortened) => make(shortened).fits)).json;
}

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
