// Edits the tags, results and metadata of a conversation.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../ui/action.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Select, TextArea, TextField } from '../ui/field.tsx';
import { conversationQuery, updateConversation, type Conversation, type ConversationUpdate } from './api.ts';
import { toChanges, toForm, parseObject, type Form } from './changes.ts';

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
  // A snapshot: later events must not look like changes of this person.
  const [before] = useState(() => toForm(one));
  const [form, setForm] = useState(before);
  const queryClient = useQueryClient();
  const save = useAction((changes: ConversationUpdate) => updateConversation(one.id, changes), {
    says: 'Conversation saved',
    reloads: ['conversations'],
    then: (changed) => {
      queryClient.setQueryData(conversationQuery(one.id).queryKey, changed);
      onClose();
    },
  });
  const set = (change: Partial<Form>) => setForm({ ...form, ...change });
  const isObject = parseObject(form.metadata) !== null;
  const changes = toChanges(form, before);
  return (
    <FormDialog
      title="Edit conversation"
      verb="Save"
      disabled={!isObject || Object.keys(changes).length === 0}
      mutation={save}
      onClose={onClose}
      onSubmit={() => save.mutate(changes)}
    >
      <p className="text-ink-2">Later events do not overwrite what you change here.</p>
      <TextArea
        label="Tags"
        hint="One per line, at most 20"
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
        <option value="">unknown</option>
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
        hint="An https address. The console links to it and never loads it"
        maxLength={2048}
        value={form.recording}
        onChange={({ target }) => set({ recording: target.value })}
      />
      <TextArea
        label="Metadata"
        hint="A JSON object of at most 16 KiB"
        error={isObject ? undefined : 'Metadata must be a JSON object, for example {"plan": "pro"}.'}
        className="font-mono text-xs"
        rows={6}
        value={form.metadata}
        onChange={({ target }) => set({ metadata: target.value })}
      />
    </FormDialog>
  );
}
