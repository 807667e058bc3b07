// Chooses the receivers: a recipient, a topic, or an address per channel.
import { Select, TextField } from '../../ui/field.tsx';
import type { Draft, Whom } from './draft.rules.ts';

export interface DraftFieldsProps {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}

export function WhomFields({ draft: { whom, userId, topicId }, onChange }: DraftFieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Select label="To" value={whom} onChange={(event) => onChange({ whom: event.target.value as Whom })}>
        <option value="each">A user or address per channel</option>
        <option value="person">A recipient</option>
        <option value="topic">The members of a topic</option>
        <option value="everyone">Everyone in the organisation</option>
      </Select>
      {whom === 'person' && (
        <TextField
          label="Recipient"
          hint="The user id in your application"
          required
          maxLength={255}
          value={userId}
          onChange={(event) => onChange({ userId: event.target.value })}
        />
      )}
      {whom === 'topic' && (
        <TextField
          label="Topic"
          required
          maxLength={255}
          value={topicId}
          onChange={(event) => onChange({ topicId: event.target.value })}
        />
      )}
    </div>
  );
}
