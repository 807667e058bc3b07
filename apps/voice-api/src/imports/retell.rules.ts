// Converts Retell's webhooks `call_ended` and `call_analyzed` (docs/voice-api.md#imports). Pure.
import { z } from 'zod';
import { pathId } from '@parley/envelopes';
import { toChanges, toCost, toEnd, parseHttpUrl, parseTranscript } from './report.rules.ts';
import type { ReportedTurn, Importer } from './report.rules.ts';

const text = z.string().nullish();
const number = z.number().nullish();
const free = z.record(z.string(), z.unknown()).nullish();

const utterance = z.looseObject({
  role: z.string(),
  content: text,
  name: text,
  arguments: text,
  words: z.array(z.looseObject({ word: text, start: number, end: number })).nullish(),
});

const payload = z.looseObject({
  event: z.string(),
  call: z.looseObject({
    call_id: pathId(200),
    agent_id: text,
    call_type: text,
    call_status: text,
    direction: text,
    from_number: text,
    to_number: text,
    metadata: free,
    start_timestamp: number,
    end_timestamp: number,
    duration_ms: number,
    disconnection_reason: text,
    transcript: text,
    transcript_object: z.array(utterance).nullish(),
    transcript_with_tool_calls: z.array(utterance).nullish(),
    recording_url: text,
    call_cost: z
      .looseObject({
        combined_cost: number,
        product_costs: z.array(z.looseObject({ product: text, cost: number })).nullish(),
      })
      .nullish(),
    call_analysis: z
      .looseObject({
        call_summary: text,
        user_sentiment: text,
        call_successful: z.boolean().nullish(),
        custom_analysis_data: free,
      })
      .nullish(),
  }),
});
type Payload = z.output<typeof payload>;

/**
 * Retell's disconnection reasons; those of errors begin with `error`.
 * @see https://docs.retellai.com/reliability/debug-call-disconnect
 */
const REASONS: Readonly<Record<string, string>> = {
  user_hangup: 'user_hangup',
  agent_hangup: 'bot_hangup',
  call_transfer: 'transferred',
  voicemail_reached: 'voicemail',
  machine_detected: 'voicemail',
  ivr_reached: 'bot_hangup',
  inactivity: 'silence',
  max_duration_reached: 'max_duration',
  dial_busy: 'busy',
  dial_no_answer: 'no_answer',
  user_declined: 'no_answer',
  registered_call_timeout: 'no_answer',
  dial_failed: 'error',
  invalid_destination: 'error',
  telephony_provider_permission_denied: 'error',
  telephony_provider_unavailable: 'error',
  sip_routing_error: 'error',
  marked_as_spam: 'error',
  concurrency_limit_reached: 'error',
  no_valid_payment: 'error',
  scam_detected: 'error',
  // Of a call that never connected and has no reason.
  not_connected: 'no_answer',
};

const SPEAKERS = { Agent: 'bot.message', User: 'speech.final' } as const;

const ROLES: Readonly<Record<string, ReportedTurn['type']>> = {
  user: 'speech.final',
  agent: 'bot.message',
  tool_call_invocation: 'tool.called',
  tool_call_result: 'tool.returned',
  transfer_target: 'system.message',
};

const CENTS = 100;

export const retell: Importer = {
  chooseShape: () => payload,
  read: ({ event, call }: Payload) => {
    if (event !== 'call_ended' && event !== 'call_analyzed') return { ignored: event };
    const utterances = call.transcript_with_tool_calls ?? call.transcript_object ?? [];
    const turns =
      utterances.length > 0 ? utterances.flatMap(toTurns) : parseTranscript(call.transcript, SPEAKERS);
    const { call_analysis: analysis, call_cost: cost } = call;
    const unconnected = call.call_status === 'not_connected' ? call.call_status : null;
    const durationSeconds = call.duration_ms == null ? null : call.duration_ms / 1000;
    return {
      report: {
        conversationId: call.call_id,
        rank: event === 'call_ended' ? 0 : 1,
        botId: call.agent_id ?? null,
        // A call that never connected has no times.
        startedMs: call.start_timestamp ?? null,
        endedMs: call.end_timestamp ?? null,
        description: description(call),
        turns,
        end: toEnd(REASONS, call.disconnection_reason ?? unconnected, durationSeconds),
        changes: toChanges({
          metadata: call.metadata,
          // In cents.
          cost: toCost(
            cost?.combined_cost == null ? null : cost.combined_cost / CENTS,
            (cost?.product_costs ?? []).map((one) => [one.product ?? 'other', (one.cost ?? 0) / CENTS]),
          ),
          recording_url: parseHttpUrl(call.recording_url),
          summary: analysis?.call_summary?.slice(0, 10_000),
          sentiment: analysis?.user_sentiment?.toLowerCase().slice(0, 64),
          success: analysis?.call_successful,
          analysis: analysis?.custom_analysis_data,
        }),
        skipped: utterances.filter(({ role }) => !ROLES[role]).length,
      },
    };
  },
};

function description({ call_type, direction, from_number, to_number }: Payload['call']) {
  return {
    channel: call_type === 'web_call' ? 'web' : call_type === 'phone_call' ? 'phone' : null,
    direction: direction === 'inbound' || direction === 'outbound' ? direction : null,
    from: from_number ?? null,
    to: to_number ?? null,
  };
}

function toTurns({
  role,
  content,
  name,
  arguments: given,
  words,
}: z.output<typeof utterance>): ReportedTurn[] {
  const type = ROLES[role];
  if (!type) return [];
  const called = type === 'tool.called' ? `${name ?? 'tool'}(${given ?? ''})` : undefined;
  const [first, last] = [words?.at(0)?.start, words?.at(-1)?.end];
  return [
    {
      type,
      text: called ?? content ?? '',
      startMs: first == null ? null : first * 1000,
      endMs: last == null ? null : last * 1000,
      words: words && words.length > 0 ? words : undefined,
    },
  ];
}
