// Many users at a time, pasted a line each: into a new topic, into one that is there, or out of it.
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { notice } from '../../ui/notice.tsx';
import { Problem } from '../../ui/page.tsx';
import { useChange } from '../use-change.ts';
import { changeMembers, createTopic, TOPICS, type Change } from './api.ts';
import { idsIn, PASTED_MAX } from './members.rules.ts';

export function NewTopic({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [id, setId] = useState('');
  const [text, setText] = useState('');
  const create = useChange(
    TOPICS,
    () => createTopic(id.trim(), idsIn(text)),
    ({ topic_id: topicId }) => void navigate({ to: '/notifications/topics/$topicId', params: { topicId } }),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(undefined);
  };
  return (
    <Dialog title="New topic" open onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <TextField
          label="Id"
          hint="What sends name it by"
          required
          maxLength={255}
          value={id}
          onChange={(event) => setId(event.target.value)}
        />
        <UsersField text={text} onChange={setText} />
        {create.error && <Problem error={create.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            busy={create.isPending}
            disabled={idsIn(text).length > PASTED_MAX}
          >
            Create
          </Button>
        </div>
      </form>
    </Dialog>
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
  const save = useChange(
    TOPICS,
    () => changeMembers(topicId, change, ids),
    ({ members }) => {
      notice(`${ids.length} ${done}; the topic has ${members}`);
      onClose();
    },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(undefined);
  };
  return (
    <Dialog title={title} open onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <UsersField text={text} onChange={setText} />
        {save.error && <Problem error={save.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind={change === 'add' ? 'primary' : 'danger'}
            type="submit"
            busy={save.isPending}
            disabled={ids.length === 0 || ids.length > PASTED_MAX}
          >
            {verb} {ids.length > 0 && ids.length}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function UsersField({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const isTooMany = idsIn(text).length > PASTED_MAX;
  return (
    <TextArea
      label="User ids"
      hint="One a line; who is named twice counts once, who is a member already stays one"
      error={
        isTooMany ? `At most ${PASTED_MAX.toLocaleString('en')} at a time; a program does more.` : undefined
      }
      rows={8}
      spellCheck={false}
      className="font-mono text-xs"
      value={text}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
