// Dialogs that create a topic, and add or remove many members.
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../ui/action.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { changeMembers, createTopic, TOPICS, type Change } from './api.ts';
import { idsIn, PASTED_MAX } from './members.rules.ts';

export function NewTopic({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [id, setId] = useState('');
  const [text, setText] = useState('');
  const create = useAction(() => createTopic(id.trim(), idsIn(text)), {
    says: ({ topic_id: topicId }) => `Topic ${topicId} created`,
    reloads: TOPICS,
    then: ({ topic_id: topicId }) => navigate({ to: '/notifications/topics/$topicId', params: { topicId } }),
  });
  return (
    <FormDialog
      title="Create topic"
      verb="Create topic"
      disabled={idsIn(text).length > PASTED_MAX}
      mutation={create}
      onClose={onClose}
      onSubmit={() => create.mutate()}
    >
      <TextField
        label="Id"
        hint="Sends name the topic by this id"
        required
        maxLength={255}
        value={id}
        onChange={(event) => setId(event.target.value)}
      />
      <UsersField text={text} onChange={setText} />
    </FormDialog>
  );
}

const WORDS = {
  add: { title: 'Add members', verb: 'Add', done: 'added' },
  remove: { title: 'Remove members', verb: 'Remove', done: 'removed' },
} as const;

interface MembersProps {
  readonly topicId: string;
  readonly change: Change;
  readonly onClose: () => void;
}

export function ChangeMembers({ topicId, change, onClose }: MembersProps) {
  const { title, verb, done } = WORDS[change];
  const [text, setText] = useState('');
  const ids = idsIn(text);
  const save = useAction(() => changeMembers(topicId, change, ids), {
    says: ({ members }) => `${ids.length} ${done}; the topic has ${members}`,
    reloads: TOPICS,
    then: onClose,
  });
  return (
    <FormDialog
      title={title}
      verb={ids.length > 0 ? `${verb} ${ids.length} members` : title}
      kind={change === 'add' ? 'primary' : 'danger'}
      disabled={ids.length === 0 || ids.length > PASTED_MAX}
      mutation={save}
      onClose={onClose}
      onSubmit={() => save.mutate()}
    >
      <UsersField text={text} onChange={setText} />
    </FormDialog>
  );
}

function UsersField({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const isTooMany = idsIn(text).length > PASTED_MAX;
  return (
    <TextArea
      label="User ids"
      hint="One id per line. Duplicates and existing members are ignored"
      error={
        isTooMany
          ? `At most ${PASTED_MAX.toLocaleString('en')} ids at a time. Use the API for more.`
          : undefined
      }
      rows={8}
      spellCheck={false}
      className="font-mono text-xs"
      value={text}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
