// GET /v1/conversations/{conversation_id}/recording: a link to the copy of the recording in the
// organisation's bucket, which serves it itself, also in ranges
// (docs/voice-api.md#copies-of-recordings).
import { AppError, voiceApiDialect } from '@parley/envelopes';
import type { Caller } from '@parley/server/http';
import { resolveOwnSecret } from '@parley/outbound';
import { LINK_SECONDS, signLink } from '../recordings/sign.ts';
import { STORE_COLUMNS, type Store } from '../retention/recording-storage.ts';
import { readRedaction } from '../retention/redaction.ts';
import type { ConversationRow } from './conversation-rows.ts';
import type { Deps } from './deps.ts';
import { findConversation } from './read-conversations.ts';

interface Copy extends Store {
  readonly objectKey: string;
  readonly bytes: number;
  readonly contentType: string;
}

type RecordingDeps = Pick<Deps, 'sql' | 'clock' | 'retentionRules' | 'secrets' | 'log' | 'config'>;

/** @throws AppError not_found, insufficient_scope, unavailable */
export async function getRecording(deps: RecordingDeps, caller: Caller, id: string) {
  const row = await findConversation(deps, caller, id);
  if ((await readRedaction(deps, caller)).hides(row.bot_id))
    throw new AppError(
      'insufficient_scope',
      'The organisation redacts transcripts, and a recording says everything: use a credential with the scope "pii".',
    );
  const [copy] = await deps.sql<Copy>(
    `SELECT copy.object_key AS "objectKey", copy.bytes, copy.content_type AS "contentType", ${STORE_COLUMNS}
     FROM recording_copies AS copy JOIN recording_stores AS store ON store.id = copy.store_id
     WHERE copy.organization_id = $1 AND copy.conversation_id = $2 AND copy.status = 'copied'`,
    [caller.organizationId, id],
  );
  if (!copy) throw new AppError('not_found', describeMissing(row));
  const place = { secrets: deps.secrets, place: deps.config.FLOW_SECRETS };
  const secretAccessKey = await resolveOwnSecret(place, deps.log, caller.organizationId, copy.secret);
  if (secretAccessKey === null)
    throw new AppError(
      'unavailable',
      `The secret ${copy.secret} of the bucket cannot be read now. Try again later.`,
      {
        headers: { 'retry-after': '60' },
      },
    );
  const url = await signLink({ store: copy, objectKey: copy.objectKey, secretAccessKey });
  return {
    url,
    expires_at: voiceApiDialect.time(new Date(deps.clock() + LINK_SECONDS * 1_000)),
    bytes: copy.bytes,
    content_type: copy.contentType,
  };
}

function describeMissing({ id, recording_url: url, recording_copy: copy, removed }: ConversationRow): string {
  const begin = `The recording of conversation "${id}"`;
  if (removed['recording']) return `${begin} was removed: ${removed['recording'].reason}`;
  if (copy?.status === 'waiting')
    return `${begin} is not copied yet${copy.error ? `. ${copy.error}` : ''}. Try again later.`;
  if (copy?.status === 'failed')
    return `${begin} could not be copied. ${copy.error ?? ''} Save "recording_storage" again to repeat it.`;
  return url === null
    ? `Conversation "${id}" has no recording. Report its "recording_url".`
    : `${begin} has no copy. Set "recording_storage" in the retention to copy the recordings that follow.`;
}
