// Creates or edits a recipient.
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isPathId } from '@parley/envelopes';
import { useAction } from '../../ui/action.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Checkbox, TextArea, TextField } from '../../ui/field.tsx';
import { problemOf, readObject } from '../json.rules.ts';
import { createRecipient, putRecipient, RECIPIENTS, type Recipient } from './api.ts';
import { formOf, isReady, putOf, type RecipientForm } from './recipient.rules.ts';

interface RecipientDialogProps {
  /** Absent: a new recipient. */
  readonly known?: Recipient;
  /** Initial id, from the search. */
  readonly userId?: string | undefined;
  readonly onClose: () => void;
}

export function RecipientDialog({ known, userId = '', onClose }: RecipientDialogProps) {
  const navigate = useNavigate();
  const [user, setUser] = useState(known?.user_id ?? userId);
  const [form, setForm] = useState(() => formOf(known));
  const save = useAction(
    () => (known ? putRecipient(user, putOf(form)) : createRecipient(user.trim(), putOf(form))),
    {
      says: ({ user_id: userId }) => `Recipient ${userId} saved`,
      reloads: RECIPIENTS,
      then: ({ user_id: userId }) => {
        onClose();
        return navigate({ to: '/notifications/recipients/$userId', params: { userId } });
      },
    },
  );
  const isId = known !== undefined || isPathId(user.trim());
  const change = (part: Partial<RecipientForm>) => setForm({ ...form, ...part });
  return (
    <FormDialog
      title={known ? `Edit ${user}` : 'Create recipient'}
      verb="Save recipient"
      disabled={!isReady(form, known) || !isId}
      mutation={save}
      onClose={onClose}
      onSubmit={() => save.mutate(undefined)}
    >
      {!known && (
        <TextField
          label="User id"
          hint="The user id in your application"
          error={isId || user === '' ? undefined : 'The id must not be only dots or contain / \\ ? # %.'}
          required
          maxLength={255}
          value={user}
          onChange={(event) => setUser(event.target.value)}
        />
      )}
      <TextField
        label="E-mail"
        type="email"
        maxLength={254}
        value={form.email}
        onChange={(event) => change({ email: event.target.value })}
      />
      <TextField
        label="Chat webhook"
        hint={
          known?.chat_webhook
            ? `Stored for ${known.chat_webhook.host}. The address is encrypted and hidden: enter it again to keep it`
            : 'An incoming webhook of a chat product, stored encrypted'
        }
        type="url"
        maxLength={2048}
        disabled={form.takeChatAway}
        value={form.chatWebhook}
        onChange={(event) => change({ chatWebhook: event.target.value })}
      />
      {known?.chat_webhook && (
        <Checkbox
          label="Remove the chat webhook"
          checked={form.takeChatAway}
          onChange={(event) => change({ takeChatAway: event.target.checked })}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Language"
          hint="For example pt-BR"
          maxLength={35}
          value={form.language}
          onChange={(event) => change({ language: event.target.value })}
        />
        <TextField
          label="Time zone"
          hint="For example Europe/Berlin"
          maxLength={64}
          value={form.timeZone}
          onChange={(event) => change({ timeZone: event.target.value })}
        />
      </div>
      <TextArea
        label="Attributes"
        hint="Any other data, as JSON"
        error={problemOf(readObject(form.attributes))}
        rows={3}
        spellCheck={false}
        className="font-mono text-xs"
        placeholder="{ }"
        value={form.attributes}
        onChange={(event) => change({ attributes: event.target.value })}
      />
    </FormDialog>
  );
}
