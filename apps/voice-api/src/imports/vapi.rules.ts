// Converts Vapi's server message `end-of-call-report` (docs/voice-api.md#imports). Pure.
import { z } from 'zod';
import { pathId } from '@parley/envelopes';
import { toChanges, toCost, toEnd, parseHttpUrl, parseTranscript } from './report.rules.ts';
import type { ReportedTurn, Importer } from './report.rules.ts';

const text = z.string().nullish();
const number = z.number().nullish();
const free = z.record(z.string(), z.unknown()).nullish();
const party = z.looseObject({ number: text }).nullish();

const message = z.looseObject({
  role: z.string(),
  message: text,
  content: text,
  time: number,
  secondsFromStart: number,
  duration: number,
  toolCalls: z
    .array(
      z.looseObject({ function: z.looseObject({ name: text, arguments: z.unknown().optional() }).nullish() }),
    )
    .nullish(),
  name: text,
  result: z.unknown().optional(),
});

const call = z.looseObject({
  id: pathId(200),
  type: text,
  assistantId: text,
  createdAt: text,
  startedAt: text,
  endedAt: text,
  customer: party,
  phoneNumber: party,
  metadata: free,
});

const report = z.looseObject({
  type: z.string(),
  timestamp: number,
  endedReason: text,
  startedAt: text,
  endedAt: text,
  durationSeconds: number,
  cost: number,
  costBreakdown: free,
  recordingUrl: text,
  summary: text,
  call: call.nullish(),
  customer: party,
  phoneNumber: party,
  assistant: z.looseObject({ id: text }).nullish(),
  artifact: z
    .looseObject({
      messages: z.array(message).nullish(),
      transcript: text,
      recording: z
        .looseObject({ stereoUrl: text, mono: z.looseObject({ combinedUrl: text }).nullish() })
        .nullish(),
      recordingUrl: text, // deprecated by Vapi
    })
    .nullish(),
  messages: z.array(message).nullish(),
  transcript: text,
  analysis: z
    .looseObject({
      summary: text,
      structuredData: z.unknown().optional(),
      successEvaluation: z.unknown().optional(),
    })
    .nullish(),
});
/** Vapi sends many kinds of messages to one address. */
const REPORT = 'end-of-call-report';
type VapiReport = z.output<typeof report>;

/**
 * Vapi's end reasons. Those of failures are recognised by their words.
 * @see https://docs.vapi.ai/calls/call-ended-reason and `endedReason` of its OpenAPI document
 */
const REASONS: Readonly<Record<string, string>> = {
  'customer-ended-call': 'user_hangup',
  'customer-ended-call-before-warm-transfer': 'user_hangup',
  'customer-ended-call-after-warm-transfer-attempt': 'user_hangup',
  'customer-ended-call-during-transfer': 'user_hangup',
  hangup: 'user_hangup',
  'assistant-ended-call': 'bot_hangup',
  'assistant-ended-call-after-message-spoken': 'bot_hangup',
  'assistant-ended-call-with-hangup-task': 'bot_hangup',
  'assistant-said-end-call-phrase': 'bot_hangup',
  'assistant-spoken-end-call-phrase': 'bot_hangup',
  'call.ringing.hook-executed-say': 'bot_hangup',
  'call.ending.hook-executed-say': 'bot_hangup',
  'assistant-forwarded-call': 'transferred',
  'call.ringing.hook-executed-transfer': 'transferred',
  'call.ending.hook-executed-transfer': 'transferred',
  'silence-timed-out': 'silence',
  'exceeded-max-duration': 'max_duration',
  voicemail: 'voicemail',
  'customer-did-not-answer': 'no_answer',
  'call.in-progress.error-providerfault-outbound-sip-408-request-timeout': 'no_answer',
  'call.in-progress.error-providerfault-outbound-sip-480-temporarily-unavailable': 'no_answer',
  'customer-busy': 'busy',
  'manually-canceled': 'canceled',
  'scheduled-call-deleted': 'canceled',
  'call-deleted': 'canceled',
  'call.ringing.sip-inbound-caller-hungup-before-call-connect': 'canceled',
  'assistant-not-found': 'error',
  'assistant-not-valid': 'error',
  'assistant-join-timed-out': 'error',
  'assistant-request-returned-invalid-assistant': 'error',
  'assistant-request-returned-no-assistant': 'error',
  'customer-did-not-give-microphone-permission': 'error',
  'phone-call-provider-closed-websocket': 'error',
  'phone-call-provider-bypass-enabled-but-no-call-received': 'error',
  'twilio-reported-customer-misdialed': 'error',
  'vonage-rejected': 'error',
  'worker-shutdown': 'error',
};

const SPEAKERS = { AI: 'bot.message', User: 'speech.final' } as const;

const COST_PARTS = ['transport', 'stt', 'llm', 'tts', 'vapi', 'chat'];

const payload = z.looseObject({
  message: report.refine(({ type, call: of }) => type !== REPORT || of, {
    path: ['call'],
    message: 'is required',
  }),
});

export const vapi: Importer = {
  chooseShape: () => payload,
  read: ({ message: given }: { message: VapiReport }) => {
    const of = given.call;
    if (given.type !== REPORT || !of) return { ignored: given.type };
    const startedMs = firstTime(given.startedAt, of.startedAt, of.createdAt) ?? null;
    const endedMs = firstTime(given.endedAt, of.endedAt) ?? null;
    const { artifact } = given;
    const messages = artifact?.messages ?? given.messages ?? [];
    const turnsOf = (one: z.output<typeof message>) => toTurns(one, startedMs ?? endedMs);
    const turns =
      messages.length > 0
        ? messages.flatMap(turnsOf)
        : parseTranscript(artifact?.transcript ?? given.transcript, SPEAKERS);
    return {
      report: {
        conversationId: of.id,
        // Of two reports of a call the later one knows more.
        rank: given.timestamp ?? 0,
        botId: of.assistantId ?? given.assistant?.id ?? null,
        startedMs,
        endedMs,
        description: description(given, of),
        turns,
        end: toEnd(REASONS, given.endedReason, given.durationSeconds),
        changes: toOutcome(given, of),
        skipped: messages.filter((one) => turnsOf(one).length === 0).length,
      },
    };
  },
};

/** After-call data. */
function toOutcome({ artifact, analysis, ...given }: VapiReport, of: z.output<typeof call>) {
  return toChanges({
    metadata: of.metadata,
    cost: toCost(
      given.cost,
      COST_PARTS.map((name) => [name, given.costBreakdown?.[name]]),
    ),
    recording_url: parseHttpUrl(
      artifact?.recording?.mono?.combinedUrl ??
        artifact?.recording?.stereoUrl ??
        artifact?.recordingUrl ??
        given.recordingUrl,
    ),
    summary: (analysis?.summary ?? given.summary)?.slice(0, 10_000),
    success: toSuccess(analysis?.successEvaluation),
    analysis: structured(analysis?.structuredData),
  });
}

function description(given: VapiReport, of: z.output<typeof call>) {
  const outbound = of.type === 'outboundPhoneCall';
  const customer = (of.customer ?? given.customer)?.number ?? null;
  const ours = (of.phoneNumber ?? given.phoneNumber)?.number ?? null;
  return {
    channel: of.type === 'webCall' ? 'web' : of.type?.endsWith('PhoneCall') ? 'phone' : null,
    direction: of.type?.endsWith('PhoneCall') ? (outbound ? 'outbound' : 'inbound') : null,
    from: outbound ? ours : customer,
    to: outbound ? customer : ours,
  };
}

/** Empty for unknown roles. */
function toTurns(given: z.output<typeof message>, startedMs: number | null): ReportedTurn[] {
  const startMs =
    given.secondsFromStart != null
      ? given.secondsFromStart * 1000
      : given.time == null || startedMs === null
        ? null
        : given.time - startedMs;
  const endMs = startMs !== null && given.duration != null ? startMs + given.duration : null;
  const turn = (type: ReportedTurn['type'], spoken: string) => [{ type, text: spoken, startMs, endMs }];
  const spoken = given.message ?? given.content ?? '';
  switch (given.role) {
    case 'user':
      return turn('speech.final', spoken);
    case 'bot':
    case 'assistant':
      return turn('bot.message', spoken);
    case 'system':
      return turn('system.message', spoken);
    case 'tool_calls':
      return (given.toolCalls ?? []).flatMap(({ function: called }) =>
        turn('tool.called', `${called?.name ?? 'tool'}(${toText(called?.arguments)})`),
      );
    case 'tool_call_result':
      return turn('tool.returned', `${given.name ?? 'tool'}: ${toText(given.result)}`);
    default:
      return [];
  }
}

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value ?? null) ?? '');

/** The rubric decides the wording; only clear words count. */
function toSuccess(given: unknown): boolean | null {
  const word = typeof given === 'string' || typeof given === 'boolean' ? String(given).toLowerCase() : '';
  return ['true', 'pass'].includes(word) ? true : ['false', 'fail'].includes(word) ? false : null;
}

function structured(given: unknown): Record<string, unknown> | null {
  return typeof given === 'object' && given !== null && !Array.isArray(given)
    ? (given as Record<string, unknown>)
    : null;
}

function firstTime(...given: readonly (string | null | undefined)[]): number | undefined {
  return given.map((one) => Date.parse(one ?? '')).find((ms) => !Number.isNaN(ms));
}
