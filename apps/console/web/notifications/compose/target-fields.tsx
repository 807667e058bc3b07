// Fields per channel: its target, unless the send names a recipient or topic, and its options.
import { TextField } from '../../ui/field.tsx';
import type { Channel } from '../channels.ts';
import { targeted } from './draft.rules.ts';
import { InAppFields } from './in-app-fields.tsx';
import { MailFields } from './mail-fields.tsx';
import type { DraftFieldsProps } from './whom-fields.tsx';

export function TargetFields({ draft, onChange }: DraftFieldsProps) {
  const reached = targeted(draft);
  const isEach = draft.whom === 'each';
  const has = (channel: Channel) => isEach && reached.includes(channel);
  return (
    <div className="flex flex-col gap-4 empty:hidden">
      {has('in_app') && (
        <TextField
          label="Inbox of user"
          hint="The user id in your application"
          required
          maxLength={255}
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
          <TextField
            label="Devices of user"
            required
            maxLength={255}
            value={draft.pushUser}
            onChange={(event) => onChange({ pushUser: event.target.value })}
          />
          <PushUrl draft={draft} onChange={onChange} />
        </div>
      )}
      {has('chat') && (
        <TextField
          label="Incoming webhook of the chat"
          hint="Empty: the operator’s default"
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
      {reached.includes('email') && <MailFields draft={draft} onChange={onChange} />}
      {!isEach && reached.includes('web_push') && <PushUrl draft={draft} onChange={onChange} />}
      {reached.includes('in_app') && <InAppFields draft={draft} onChange={onChange} />}
    </div>
  );
}

function PushUrl({ draft, onChange }: DraftFieldsProps) {
  return (
    <TextField
      label="Link of the push"
      hint="The address that a click opens"
      type="url"
      value={draft.pushUrl}
      onChange={(event) => onChange({ pushUrl: event.target.value })}
    />
  );
}
