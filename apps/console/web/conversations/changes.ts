// The form that edits a conversation, and the request it makes. Pure.
import { z } from 'zod';
import type { Conversation, ConversationUpdate } from './api.ts';

export interface Form {
  /** One per line. */
  readonly tags: string;
  readonly summary: string;
  readonly sentiment: string;
  readonly success: '' | 'true' | 'false';
  readonly recording: string;
  /** JSON. */
  readonly metadata: string;
}

export const toForm = (one: Conversation): Form => ({
  tags: (one.tags ?? []).join('\n'),
  summary: one.summary ?? '',
  sentiment: one.sentiment ?? '',
  success: one.success === undefined ? '' : one.success ? 'true' : 'false',
  recording: one.recording_url ?? '',
  metadata: JSON.stringify(one.metadata, null, 2),
});

const anObject = z.record(z.string(), z.unknown());

/** Null when the text is not a JSON object. */
export function parseObject(json: string): Record<string, unknown> | null {
  try {
    return anObject.parse(JSON.parse(json));
  } catch {
    return null;
  }
}

/**
 * Only changed members: events can no longer change them
 * (docs/voice-api.md#changing-conversations).
 */
export function toChanges(form: Form, before: Form): ConversationUpdate {
  const isChanged = (name: keyof Form) => form[name] !== before[name];
  const lines = form.tags.split('\n').map((tag) => tag.trim());
  return {
    ...(isChanged('tags') && { tags: [...new Set(lines)].filter((tag) => tag !== '') }),
    ...(isChanged('summary') && { summary: form.summary.trim() || null }),
    ...(isChanged('sentiment') && { sentiment: form.sentiment.trim() || null }),
    ...(isChanged('success') && { success: form.success === '' ? null : form.success === 'true' }),
    ...(isChanged('recording') && { recording_url: form.recording.trim() || null }),
    ...(isChanged('metadata') && { metadata: parseObject(form.metadata) ?? {} }),
  };
}
