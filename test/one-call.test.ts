// A chat and the import of the same call name one conversation (docs/openai.md#which-conversation).
// Shapes: from the sources named beside `sessionPlaces` and in the headers of the importers.
import { expect, test } from '@jest/globals';
import { findSession } from '../apps/flow-builder/src/chat/find-session.ts';
import { elevenlabs } from '../apps/voice-api/src/imports/elevenlabs.rules.ts';
import { livekit } from '../apps/voice-api/src/imports/livekit.rules.ts';
import type { Importer } from '../apps/voice-api/src/imports/report.rules.ts';
import { retell } from '../apps/voice-api/src/imports/retell.rules.ts';
import { vapi } from '../apps/voice-api/src/imports/vapi.rules.ts';

const messages = [{ role: 'user', content: 'hello' }];
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

function importedId(importer: Importer, report: unknown): string {
  const imported = importer.read(importer.payload.parse(report) as never);
  if ('ignored' in imported) throw new Error(`ignored: ${imported.ignored}`);
  return imported.report.conversationId;
}

test.each([
  {
    call: 'ElevenLabs, the recipe',
    chat: findSession({ messages, user_id: 'person-1' }, conversation),
    imported: importedId(elevenlabs, transcription),
  },
  {
    call: 'ElevenLabs, the recipe beside an extra body',
    chat: findSession({ messages, elevenlabs_extra_body: { UUID: 'order-1' } }, conversation),
    imported: importedId(elevenlabs, transcription),
  },
  {
    call: 'LiveKit, the webhook of a room',
    chat: findSession({ messages, user: 'room-1' }, undefined),
    imported: importedId(livekit, {
      event: 'room_finished',
      createdAt: '1780000100',
      room: { sid: 'RM_1', name: 'room-1', creationTime: '1780000000' },
    }),
  },
  {
    call: 'LiveKit, the report of a session',
    chat: findSession({ messages, user: 'room-1' }, undefined),
    imported: importedId(livekit, {
      room: 'room-1',
      room_id: 'RM_1',
      job_id: 'AJ_1',
      chat_history: { items: [] },
      timestamp: 1_780_000_100,
    }),
  },
  {
    call: 'Vapi',
    chat: findSession({ messages, call: { id: 'call-1' } }, undefined),
    imported: importedId(vapi, {
      message: { type: 'end-of-call-report', call: { id: 'call-1' }, endedReason: 'customer-ended-call' },
    }),
  },
  {
    call: 'Retell',
    chat: findSession({ messages, metadata: { call_id: 'call_1' } }, undefined),
    imported: importedId(retell, {
      event: 'call_ended',
      call: {
        call_id: 'call_1',
        agent_id: 'agent_1',
        call_status: 'ended',
        start_timestamp: 1_780_000_000_000,
      },
    }),
  },
])('$call', ({ chat, imported }) => {
  expect(chat).not.toBeNull();
  expect(imported).toBe(chat);
});
