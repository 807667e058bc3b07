// Converts ElevenLabs' webhooks `post_call_transcription` and `call_initiation_failure`, and stored
// conversations (docs/voice-api.md#imports). Pure.
// Shapes: https://elevenlabs.io/docs/eleven-agents/workflows/post-call-webhooks; `data` is
// `GetConversationResponseModel` of github.com/elevenlabs/elevenlabs-js.
import { z } from 'zod';
import { pathId } from '@parley/envelopes';
import { toChanges, toEnd } from './report.rules.ts';
import type { ReportedTurn, Importer } from './report.rules.ts';

const text = z.string().nullish();
const number = z.number().nullish();
const free = z.record(z.string(), z.unknown()).nullish();

const turn = z.looseObject({
  role: z.string(),
  message: text,
  time_in_call_secs: number,
  interrupted: z.boolean().nullish(),
  tool_calls: z.array(z.looseObject({ tool_name: text, params_as_json: text })).nullish(),
  tool_results: z.array(z.looseObject({ tool_name: text, result_value: z.unknown() })).nullish(),
});

const conversation = z.looseObject({
  conversation_id: pathId(200),
  agent_id: text,
  status: text,
  transcript: z.array(turn).nullish(),
  metadata: z
    .looseObject({
      start_time_unix_secs: number,
      call_duration_secs: number,
      termination_reason: text,
      main_language: text,
      text_only: z.boolean().nullish(),
      error: z.looseObject({ code: number, reason: text }).nullish(),
      phone_call: z.looseObject({ direction: text, agent_number: text, external_number: text }).nullish(),
    })
    .nullish(),
  analysis: z
    .looseObject({ call_successful: text, transcript_summary: text, data_collection_results: free })
    .nullish(),
  conversation_initiation_client_data: z.looseObject({ dynamic_variables: free }).nullish(),
  failure_reason: text,
});
type Conversation = z.output<typeof conversation>;

const webhook = z.looseObject({ type: z.string(), event_timestamp: number, data: conversation });
const other = z.looseObject({ type: z.string() });
const REPORTS = ['post_call_transcription', 'call_initiation_failure'];

/**
 * `failure_reason` of `call_initiation_failure`. `termination_reason` of a conversation is a
 * sentence without a documented vocabulary: it becomes the detail.
 * @see https://elevenlabs.io/docs/eleven-agents/workflows/post-call-webhooks
 */
const FAILURES: Readonly<Record<string, string>> = {
  busy: 'busy',
  'no-answer': 'no_answer',
  unknown: 'error',
};

/** A conversation as the API returns it. */
const stored = conversation.transform((data): z.output<typeof webhook> => ({ type: REPORTS[0]!, data }));

export const elevenlabs: Importer = {
  chooseShape: (report) => {
    if (typeof report !== 'object' || report === null || !('type' in report)) return stored;
    return REPORTS.includes(String(report.type)) ? webhook : other;
  },
  read: (given: z.output<typeof webhook> | z.output<typeof other>) => {
    if (!REPORTS.includes(given.type)) return { ignored: given.type };
    const { type, event_timestamp: sentAt, data } = given as z.output<typeof webhook>;
    const { metadata, analysis } = data;
    const isFailure = type === 'call_initiation_failure';
    const startedMs = metadata?.start_time_unix_secs == null ? null : metadata.start_time_unix_secs * 1000;
    const seconds = metadata?.call_duration_secs ?? null;
    const failedAtMs = isFailure && sentAt != null ? sentAt * 1000 : null;
    const transcript = data.transcript ?? [];
    return {
      report: {
        conversationId: data.conversation_id,
        rank: isFailure ? 0 : 1,
        botId: data.agent_id ?? null,
        startedMs: startedMs ?? failedAtMs,
        endedMs: startedMs === null || seconds === null ? failedAtMs : startedMs + seconds * 1000,
        description: describe(data),
        turns: transcript.flatMap(toTurns),
        end: isFailure ? toEnd(FAILURES, data.failure_reason ?? 'unknown', null) : toCallEnd(data),
        changes: toChanges({
          metadata: data.conversation_initiation_client_data?.dynamic_variables,
          summary: analysis?.transcript_summary?.slice(0, 10_000),
          success: { success: true, failure: false }[analysis?.call_successful ?? ''],
          analysis: analysis?.data_collection_results,
        }),
        skipped: transcript.filter((one) => toTurns(one).length === 0).length,
      },
    };
  },
};

function describe({ metadata }: Conversation) {
  const call = metadata?.phone_call;
  const isOutbound = call?.direction === 'outbound';
  const [ours, theirs] = [call?.agent_number ?? null, call?.external_number ?? null];
  return {
    channel: call ? 'phone' : metadata?.text_only ? 'chat' : metadata ? 'web' : null,
    direction: isOutbound ? 'outbound' : call?.direction === 'inbound' ? 'inbound' : null,
    from: isOutbound ? ours : theirs,
    to: isOutbound ? theirs : ours,
    language: metadata?.main_language ?? null,
  };
}

/** `failed` is the only status that says how a conversation ended. */
function toCallEnd({ status, metadata }: Conversation) {
  const seconds = metadata?.call_duration_secs;
  if (status === 'failed' || metadata?.error)
    return toEnd({}, `error: ${metadata?.error?.reason ?? metadata?.error?.code ?? 'failed'}`, seconds);
  const given = metadata?.termination_reason;
  return toEnd(given ? { [given]: 'other' } : {}, given, seconds);
}

/** Empty for unknown roles. */
function toTurns(given: z.output<typeof turn>): ReportedTurn[] {
  const type = { user: 'speech.final', agent: 'bot.message' } as const;
  if (given.role !== 'user' && given.role !== 'agent') return [];
  const startMs = given.time_in_call_secs == null ? null : given.time_in_call_secs * 1000;
  const times = { startMs, endMs: null };
  const interrupted = given.role === 'agent' ? (given.interrupted ?? undefined) : undefined;
  return [
    ...(given.message ? [{ type: type[given.role], text: given.message, ...times, interrupted }] : []),
    ...(given.tool_calls ?? []).map(({ tool_name, params_as_json }) => ({
      type: 'tool.called' as const,
      text: `${tool_name ?? 'tool'}(${params_as_json ?? ''})`,
      ...times,
    })),
    ...(given.tool_results ?? []).map(({ tool_name, result_value: value }) => ({
      type: 'tool.returned' as const,
      text: `${tool_name ?? 'tool'}: ${typeof value === 'string' ? value : JSON.stringify(value ?? null)}`,
      ...times,
    })),
  ];
}
