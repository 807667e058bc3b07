// What a person knows of a conversation after it: tags, how it went, metadata.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Select, TextArea, TextField } from '../ui/field.tsx';
import { notice } from '../ui/notice.tsx';
import { conversationQuery, updateConversation, type Conversation, type ConversationUpdate } from './api.ts';
import { changesIn, formOf, objectIn, type Form } from './changes.ts';

export function EditConversation({ of: one }: { of: Conversation }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Edit</Button>
      {isOpen && <EditDialog of={one} onClose={() => setOpen(false)} />}
    </>
  );
}

export function EditDialog({ of: one, onClose }: { of: Conversation; onClose: () => void }) {
  // Of the moment it was opened: what an event changes meanwhile is not taken for a change of this person.
  const [before] = useState(() => formOf(one));
  const [form, setForm] = useState(before);
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: (changes: ConversationUpdate) => updateConversation(one.id, changes),
    onSuccess: async (changed) => {
      queryClient.setQueryData(conversationQuery(one.id).queryKey, changed);
      await queryClient.invalidateQueries({ queryKey: ['conversations'] });
      notice('The conversation is changed');
      onClose();
    },
  });
  const set = (change: Partial<Form>) => setForm({ ...form, ...change });
  const isObject = objectIn(form.metadata) !== null;
  const changes = changesIn(form, before);
  return (
    <FormDialog
      title="Edit the conversation"
      verb="Save"
      disabled={!isObject || Object.keys(changes).length === 0}
      sending={save}
      onClose={onClose}
      onSubmit={() => save.mutate(changes)}
    >
      <p className="text-ink-2">What is changed here stays so, whatever events say of it later.</p>
      <TextArea
        label="Tags"
        hint="A line each, at most 20"
        rows={3}
        value={form.tags}
        onChange={({ target }) => set({ tags: target.value })}
      />
      <TextArea
        label="Summary"
        rows={3}
        maxLength={10_000}
        value={form.summary}
        onChange={({ target }) => set({ summary: target.value })}
      />
      <Select
        label="Success"
        value={form.success}
        onChange={({ target }) => set({ success: target.value as Form['success'] })}
      >
        <option value="">not said</option>
        <option value="true">yes</option>
        <option value="false">no</option>
      </Select>
      <TextField
        label="Sentiment"
        maxLength={64}
        value={form.sentiment}
        onChange={({ target }) => set({ sentiment: target.value })}
      />
      <TextField
        label="Recording"
        type="url"
        hint="Where it is; it is never fetched from here"
        maxLength={2048}
        value={form.recording}
        onChange={({ target }) => set({ recording: target.value })}
      />
      <TextArea
        label="Metadata"
        hint="An object as JSON, of at most 16 KiB"
        error={isObject ? undefined : 'This is no object in JSON.'}
        className="font-mono text-xs"
        rows={6}
        value={form.metadata}
        onChange={({ target }) => set({ metadata: target.value })}
      />
    </FormDialog>
  );
}
