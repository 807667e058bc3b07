// A chat and the report of the same call, which name one conversation
// (docs/openai.md#which-conversation). Shapes: from the sources named beside `sessionPlaces` of the
// flow builder and in the headers of the voice API's importers.

export interface OneCall {
  readonly call: string;
  /** The id that both have for it. */
  readonly id: string;
  /** What the body of a chat names. */
  readonly chat: object;
  /** The header X-Session-Id, when the platform can send it. */
  readonly header?: string;
  readonly source: 'elevenlabs' | 'livekit' | 'retell' | 'vapi';
  readonly report: object;
}

const conversation = 'conv_01jxd5y165f62a0v7gtr6bkg56';
const transcription = {
  type: 'post_call_transcription',
  event_timestamp: 1_780_000_100,
  data: {
    conversation_id: conversation,
    agent_id: 'agent_1',
    status: 'done',
    transcript: [{ role: 'user', message: 'hello', time_in_call_secs: 1 }],
    metadata: { start_time_unix_secs: 1_780_000_000, call_duration_secs: 60 },
    conversation_initiation_client_data: { custom_llm_extra_body: { UUID: 'order-1' } },
  },
};

export const oneCalls: readonly OneCall[] = [
  {
    call: 'ElevenLabs, the recipe',
    id: conversation,
    chat: { user_id: 'person-1' },
    header: conversation,
    source: 'elevenlabs',
    report: transcription,
  },
  {
    call: 'ElevenLabs, the recipe beside an extra body',
    id: conversation,
    chat: { elevenlabs_extra_body: { UUID: 'order-1' } },
    header: conversation,
    source: 'elevenlabs',
    report: transcription,
  },
  {
    call: 'LiveKit, the webhook of a room',
    id: 'room-1',
    chat: { user: 'room-1' },
    source: 'livekit',
    report: {
      event: 'room_finished',
      createdAt: '1780000100',
      room: { sid: 'RM_1', name: 'room-1', creationTime: '1780000000' },
    },
  },
  {
    call: 'LiveKit, the report of a session',
    id: 'room-1',
    chat: { user: 'room-1' },
    source: 'livekit',
    report: {
      room: 'room-1',
      room_id: 'RM_1',
      job_id: 'AJ_1',
      chat_history: { items: [] },
      timestamp: 1_780_000_100,
    },
  },
  {
    call: 'Vapi',
    id: 'call-1',
    chat: { call: { id: 'call-1' } },
    source: 'vapi',
    report: {
      message: { type: 'end-of-call-report', call: { id: 'call-1' }, endedReason: 'customer-ended-call' },
    },
  },
  {
    call: 'Retell',
    id: 'call_1',
    chat: { metadata: { call_id: 'call_1' } },
    source: 'retell',
    report: {
      event: 'call_ended',
      call: {
        call_id: 'call_1',
        agent_id: 'agent_1',
        call_status: 'ended',
        start_timestamp: 1_780_000_000_000,
      },
    },
  },
];
