// Converts a conversation event from its wire shape (event-schemas.ts). Pure.
import type { Description, ReportedEvent, Utterance } from '../conversation.ts';
import type { WireEvent } from '../event-schemas.ts';
import { defaultEnder, isEndReason, type CallDetails } from '../states.rules.ts';

type DataOf<Type extends WireEvent['type']> = Extract<WireEvent, { type: Type }>['data'];

export function toReportedEvent(event: WireEvent, at: number): ReportedEvent {
  const { id, conversation_id: conversationId, bot_id } = event;
  const common = { id, conversationId, botId: bot_id ?? null, at };
  switch (event.type) {
    case 'conversation.started':
      return { ...common, type: event.type, description: toDescription(event.data) };
    case 'speech.interim':
    case 'speech.final':
    case 'bot.message':
    case 'tool.called':
    case 'tool.returned':
    case 'system.message':
      return { ...common, type: event.type, utterance: toUtterance(event.data) };
    case 'conversation.ended':
      return { ...common, type: event.type, end: toEnd(event.data) };
    case 'conversation.error': {
      const { code, message: text, fatal } = event.data;
      return { ...common, type: event.type, code, message: text, fatal: fatal ?? true };
    }
    case 'transcript.ready':
      return { ...common, type: event.type, details: toCallDetails(event.data) };
    case 'turn.recorded':
      return { ...common, type: event.type };
  }
}

function toUtterance(data: DataOf<'speech.final'>): Utterance {
  return {
    turnIndex: data.turn_index,
    text: data.text,
    startMs: data.start_ms ?? null,
    endMs: data.end_ms ?? null,
    confidence: data.confidence ?? null,
    interrupted: data.interrupted ?? false,
    language: data.language ?? null,
    words: data.words ?? null,
    metrics: data.metrics
      ? Object.fromEntries(Object.entries(data.metrics).filter(([, ms]) => ms != null))
      : null,
    flow: {
      flowId: data.flow_id ?? null,
      flowVersion: data.flow_version ?? null,
      turn: data.turn ?? null,
      nodeId: data.node_id ?? null,
    },
    bytes: Buffer.byteLength(JSON.stringify(data)),
  };
}

function toDescription(data: DataOf<'conversation.started'>): Description {
  return {
    channel: data.channel ?? null,
    direction: data.direction ?? null,
    from: data.from ?? null,
    to: data.to ?? null,
    language: data.language ?? null,
    flowId: data.flow_id ?? null,
    flowVersion: data.flow_version ?? null,
    metadata: data.metadata ?? {},
  };
}

/** Unknown end reasons go to the detail, so that no call is lost because of one. */
function toEnd(data: DataOf<'conversation.ended'>) {
  const { end_reason: given, end_detail: detail } = data;
  const reason = given == null ? 'user_hangup' : isEndReason(given) ? given : 'other';
  const words = reason === 'other' && given !== 'other' ? [given, detail] : [detail];
  return {
    reason,
    detail: words.filter((word) => word != null).join(': ') || null,
    by: data.ended_by ?? defaultEnder(reason),
    durationSeconds: data.duration_seconds ?? null,
    ...toCallDetails(data),
  } as const;
}

/** Only given members: these facts are read with their conversation each time. */
function toCallDetails({ metadata, cost, recording_url }: DataOf<'transcript.ready'>): CallDetails {
  return {
    ...(metadata ? { metadata } : {}),
    ...(cost ? { cost } : {}),
    ...(recording_url ? { recordingUrl: recording_url } : {}),
  };
}
