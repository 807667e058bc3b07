// For each channel that was chosen, whom it goes to.
import { Select, TextField } from '../ui/field.tsx';
import type { Draft, PushTo } from './draft.rules.ts';

interface TargetProps {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}

export function TargetFields({ draft, onChange }: TargetProps) {
  const has = (channel: Draft['channels'][number]) => draft.channels.includes(channel);
  return (
    <div className="flex flex-col gap-4">
      {has('in_app') && (
        <TextField
          label="Inbox of the user"
          hint="Left out: of every user"
          value={draft.inAppUser}
          onChange={(event) => onChange({ inAppUser: event.target.value })}
        />
      )}
      {has('email') && (
        <TextField
          label="E-mail address"
          type="email"
          required
          value={draft.email}
          onChange={(event) => onChange({ email: event.target.value })}
        />
      )}
      {has('web_push') && (
        <div className="grid gap-4 sm:grid-cols-2">
          <Select
            label="Push to"
            value={draft.pushTo}
            onChange={(event) => onChange({ pushTo: event.target.value as PushTo })}
          >
            <option value="user">the devices of a user</option>
            <option value="everybody">every device</option>
          </Select>
          {draft.pushTo === 'user' && (
            <TextField
              label="User"
              required
              value={draft.pushUser}
              onChange={(event) => onChange({ pushUser: event.target.value })}
            />
          )}
          <TextField
            label="Opens"
            hint="An address, when it is clicked"
            type="url"
            value={draft.pushUrl}
            onChange={(event) => onChange({ pushUrl: event.target.value })}
          />
        </div>
      )}
      {has('chat') && (
        <TextField
          label="Incoming webhook of the chat"
          hint="Left out: the one that the operator has set"
          type="url"
          value={draft.chatUrl}
          onChange={(event) => onChange({ chatUrl: event.target.value })}
        />
      )}
      {has('webhook') && (
        <TextField
          label="Webhook"
          type="url"
          required
          placeholder="https://example.com/notify"
          value={draft.webhookUrl}
          onChange={(event) => onChange({ webhookUrl: event.target.value })}
        />
      )}
    </div>
  );
}
