// The legal hold of a conversation: sets it with a reason, says so, and removes it.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { usePermissions } from '../session/scopes.tsx';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Time } from '../ui/time.tsx';
import { conversationQuery, holdConversation, releaseConversation, type Conversation } from './api.ts';

export function HoldButton({ of: one }: { readonly of: Conversation }) {
  const [isOpen, setOpen] = useState(false);
  const [reason, setReason] = useState('');
  const { can } = usePermissions('voice-api');
  const queries = useQueryClient();
  const then = (now: Conversation) => {
    queries.setQueryData(conversationQuery(one.id).queryKey, now);
    setOpen(false);
  };
  const hold = useAction(() => holdConversation(one.id, reason.trim()), { says: 'Legal hold set', then });
  const release = useAction(() => releaseConversation(one.id), { says: 'Legal hold removed', then });
  if (!can('admin')) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>{one.hold ? 'Remove hold' : 'Hold'}</Button>
      {one.hold ? (
        <Confirm
          title="Remove the legal hold?"
          open={isOpen}
          onClose={() => setOpen(false)}
          verb="Remove hold"
          mutation={release}
          onConfirm={() => release.mutate()}
        >
          <p>Retention removes what is due within the hour, and the conversation can be deleted again.</p>
        </Confirm>
      ) : (
        isOpen && (
          <FormDialog
            title="Set a legal hold"
            onClose={() => setOpen(false)}
            verb="Set hold"
            mutation={hold}
            onSubmit={() => hold.mutate()}
          >
            <TextField
              label="Reason"
              name="reason"
              hint="Retention removes nothing of the conversation, and nobody can delete it"
              required
              maxLength={500}
              value={reason}
              onChange={({ target }) => setReason(target.value)}
            />
          </FormDialog>
        )
      )}
    </>
  );
}

const PARTS: Readonly<Record<keyof NonNullable<Conversation['removed']>, string>> = {
  transcript: 'Transcript, summary and analysis',
  recorded_turns: 'Recorded turns',
  recording: 'Recording',
  raw_reports: 'Raw reports',
  delivery_bodies: 'Bodies of deliveries',
};

/** What was removed and why, and the hold. */
export function RetentionNotes({ of: one }: { readonly of: Conversation }) {
  const removed = Object.entries(one.removed ?? {}) as [keyof typeof PARTS, { at: string; reason: string }][];
  if (removed.length === 0 && !one.hold) return null;
  return (
    <ul aria-label="Retention" className="flex flex-col gap-1 rounded-lg border border-line p-3">
      {one.hold && (
        <li>
          Legal hold since <Time at={one.hold.at} absolute />: {one.hold.reason}
        </li>
      )}
      {removed.map(([part, { at, reason }]) => (
        <li key={part} className="text-ink-2">
          {PARTS[part]} removed <Time at={at} absolute />: {reason}
        </li>
      ))}
    </ul>
  );
}
