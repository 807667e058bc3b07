import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { CHAT_FORMATS, chatBody, detectFormat, type ChatFormat } from './chat-formats.rules.ts';
import { firstGraphemes } from '../../rendering/subject.ts';

describe('detectFormat', () => {
  test.each<[string, ChatFormat]>([
    ['https://hooks.slack.com/services/T0/B0/XXX', 'slack'],
    ['https://hooks.slack-gov.com/services/T0/B0/XXX', 'slack'],
    ['https://hooks.slack.com/triggers/T0/1/x', 'generic'],
    ['https://hooks.slack.com.evil.example/services/T0/B0/XXX', 'generic'],
    ['https://evil.example/?https://hooks.slack.com/services/T0/B0/XXX', 'generic'],
    ['https://discord.com/api/webhooks/123/abc-DEF_1', 'discord'],
    ['https://discordapp.com/api/v10/webhooks/123/abc', 'discord'],
    ['https://ptb.discord.com/api/webhooks/123/abc?wait=true&thread_id=4', 'discord'],
    ['https://canary.discord.com/api/webhooks/123/abc/', 'discord'],
    ['https://discord.com/api/webhooks/123/abc/slack', 'slack'],
    ['https://discord.com/api/webhooks/123/abc/github', 'generic'],
    ['https://notdiscord.com/api/webhooks/123/abc', 'generic'],
    [
      'https://prod-12.westeurope.logic.azure.com:443/workflows/ab/triggers/manual/paths/invoke?sig=x',
      'teams',
    ],
    [
      'https://default0.1a.environment.api.powerplatform.com:443/powerautomate/automations/direct/workflows/x/triggers/manual/paths/invoke',
      'teams',
    ],
    ['https://prod-1.usgovtexas.logic.azure.us/workflows/ab/triggers/x', 'teams'],
    ['https://flows.acme.example/workflows/ab/triggers/manual/paths/invoke?sig=x', 'teams'],
    ['https://acme.webhook.office.com/webhookb2/x@y/IncomingWebhook/z', 'teams'],
    ['https://chat.googleapis.com/v1/spaces/AAA/messages?key=k&token=t', 'google_chat'],
    ['https://mm.example/hooks/abcdefghijklmnopqrstuvwxyz', 'mattermost'],
    ['https://example.com/chat/hooks/abcdefghijklmnopqrstuvwx12/', 'mattermost'],
    ['https://rc.example/hooks/657a1b2c3d4e5f/AbCdEfGh123', 'rocket_chat'],
    ['https://rc.example/hooks/short', 'generic'],
    ['https://receiver.example/anything', 'generic'],
  ])('%s is %s', (url, format) => {
    expect(detectFormat(new URL(url))).toBe(format);
  });
});

/**
 * What each provider accepts, from the documentation cited in chat-formats.rules.ts. Strict:
 * providers refuse or drop unknown members.
 */
const text = (max: number) => z.strictObject({ text: z.string().min(1).max(max) });
const textBlock = z.strictObject({
  // adaptivecards.io/explorer/TextBlock.html
  type: z.literal('TextBlock'),
  text: z.string(),
  wrap: z.boolean().optional(),
  weight: z.enum(['Default', 'Lighter', 'Bolder']).optional(),
  size: z.enum(['Default', 'Small', 'Medium', 'Large', 'ExtraLarge']).optional(),
});
const ACCEPTS: Readonly<Record<ChatFormat, z.ZodType>> = {
  slack: text(40_000),
  // docs.discord.com/developers/resources/webhook, …/message#allowed-mentions-object
  discord: z.strictObject({
    content: z.string().min(1).max(2_000),
    allowed_mentions: z.strictObject({ parse: z.tuple([]) }),
  }),
  // learn.microsoft.com/connectors/teams: the body of "When a Teams webhook request is received"
  teams: z.strictObject({
    type: z.literal('message'),
    attachments: z.tuple([
      z.strictObject({
        contentType: z.literal('application/vnd.microsoft.card.adaptive'),
        contentUrl: z.null(),
        content: z.strictObject({
          $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
          type: z.literal('AdaptiveCard'),
          version: z.literal('1.4'),
          body: z.array(textBlock).min(1),
        }),
      }),
    ]),
  }),
  google_chat: text(32_000),
  mattermost: text(16_383),
  rocket_chat: text(5_000),
  generic: text(Infinity),
};
const BYTES_MAX: Partial<Record<ChatFormat, number>> = { teams: 23 * 1024, google_chat: 32_000 };

/** The visible text of a body. */
function getVisibleText(format: ChatFormat, body: unknown): string {
  const cards = body as { attachments: { content: { body: { text: string }[] } }[] };
  if (format === 'teams') return cards.attachments[0]!.content.body.map((block) => block.text).join('\n');
  const plain = body as { text?: string; content?: string };
  return plain.text ?? plain.content ?? '';
}

describe('chatBody', () => {
  const messages = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10_000 }),
    fc
      .tuple(
        fc.constantFrom('👩‍👩‍👧‍👦', 'e\u0301', '&', '<users/all>', '@everyone ', '"', 'ü'),
        fc.integer({ min: 1, max: 10_000 }),
      )
      .map(([unit, count]) => unit.repeat(count).slice(0, 10_000)),
  );

  test.each(CHAT_FORMATS)('of %s is what the provider accepts for any message', (format) => {
    fc.assert(
      fc.property(
        messages,
        fc.option(fc.string({ unit: 'grapheme', maxLength: 255 }), { nil: undefined }),
        (message, subject) => {
          const json = chatBody(format, { message, subject });
          expect(ACCEPTS[format].safeParse(JSON.parse(json)).error).toBeUndefined();
          expect(Buffer.byteLength(json)).toBeLessThanOrEqual(BYTES_MAX[format] ?? Infinity);
        },
      ),
      { numRuns: 60 },
    );
  });

  test.each<[ChatFormat, string]>([
    ['slack', '*Kitchen*\nThe kettle boils.'],
    ['discord', '**Kitchen**\nThe kettle boils.'],
    ['teams', 'Kitchen\nThe kettle boils.'],
    ['google_chat', '*Kitchen*\nThe kettle boils.'],
    ['mattermost', '**Kitchen**\nThe kettle boils.'],
    ['rocket_chat', '*Kitchen*\nThe kettle boils.'],
    ['generic', 'Kitchen\nThe kettle boils.'],
  ])('of %s has the subject as its title', (format, expected) => {
    const body: unknown = JSON.parse(chatBody(format, { subject: 'Kitchen', message: 'The kettle boils.' }));
    expect(getVisibleText(format, body)).toBe(expected);
    const bare: unknown = JSON.parse(chatBody(format, { message: 'The kettle boils.' }));
    expect(getVisibleText(format, bare)).toBe('The kettle boils.');
  });

  test.each([
    ['x', 10_000],
    ['漢', 7_000],
    ['"', 2_800],
  ])('a card for Teams with many %j is cut only where Teams would refuse it', (unit, atLeast) => {
    const json = chatBody('teams', { message: unit.repeat(10_000) });
    expect(Buffer.byteLength(JSON.stringify(json))).toBeLessThanOrEqual(23 * 1024);
    expect(getVisibleText('teams', JSON.parse(json)).length).toBeGreaterThanOrEqual(atLeast);
  });

  test('a text that just fits stays whole, one character more is cut with an ellipsis', () => {
    const content = (message: string) =>
      (JSON.parse(chatBody('discord', { message })) as { content: string }).content;
    expect(content('x'.repeat(2_000))).toBe('x'.repeat(2_000));
    expect(content('x'.repeat(2_001))).toBe(`${'x'.repeat(1_999)}…`);
  });

  test('never cuts a grapheme', () => {
    const family = '👩‍👩‍👧‍👦'; // 11 UTF-16 units
    const { content } = JSON.parse(chatBody('discord', { message: family.repeat(300) })) as {
      content: string;
    };
    expect(content).toBe(`${family.repeat(181)}…`);
  });

  test.each<[ChatFormat, string]>([
    ['slack', '<!channel> <!everyone> <@U123>'],
    ['google_chat', '<users/all> <users/123>'],
    ['mattermost', '@all @channel @here @alice (@bob.smith)'],
    ['rocket_chat', '@all @here @alice'],
  ])('a message over %s mentions nobody', (format, message) => {
    const body = getVisibleText(format, JSON.parse(chatBody(format, { subject: message, message })));
    expect(body).not.toMatch(/<!|<@|<users\/|@(all|channel|here|everyone|alice|bob)\b/);
    expect(body.replaceAll('\u200b', '').replaceAll('&lt;', '<').replaceAll('&gt;', '>')).toContain(message);
  });

  test('a mail address in a text is not a mention', () => {
    const { text: sent } = JSON.parse(
      chatBody('mattermost', { message: 'ops@allied.example, ops@here.example, 3 @ 5' }),
    ) as { text: string };
    expect(sent).toBe('ops@allied.example, ops@here.example, 3 @ 5');
  });

  test('doubles a line break for Teams', () => {
    const body: unknown = JSON.parse(chatBody('teams', { message: 'one\ntwo\r\nthree\n\nfour' }));
    expect(getVisibleText('teams', body)).toBe('one\n\ntwo\n\nthree\n\nfour');
  });
});

test('firstGraphemes counts graphemes', () => {
  expect(firstGraphemes('abc', 80)).toBe('abc');
  expect(firstGraphemes('e\u0301'.repeat(100), 80)).toBe('e\u0301'.repeat(80));
});
