// A dialog that suppresses e-mail addresses, for example those of another provider.
import { useState } from 'react';
import { useAction } from '../../ui/action.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Select, TextArea } from '../../ui/field.tsx';
import { idsIn } from '../topics/members.rules.ts';
import {
  addSuppressions,
  SUPPRESSION_REASON_LABELS,
  SUPPRESSION_REASONS,
  SUPPRESSIONS,
  SUPPRESSIONS_ADDED_MAX,
  type Suppression,
} from './api.ts';

export function AddSuppressions({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [reason, setReason] = useState<Suppression['reason']>('unsubscribe');
  const emails = idsIn(text);
  const isTooMany = emails.length > SUPPRESSIONS_ADDED_MAX;
  const add = useAction(() => addSuppressions(emails, reason), {
    says: ({ added, known }) =>
      known === 0 ? `${added} added` : `${added} added, ${known} were suppressed before`,
    reloads: SUPPRESSIONS,
    then: onClose,
  });
  return (
    <FormDialog
      title="Suppress addresses"
      verb={emails.length > 1 ? `Suppress ${emails.length} addresses` : 'Suppress address'}
      disabled={emails.length === 0 || isTooMany}
      mutation={add}
      onClose={onClose}
      onSubmit={() => add.mutate(undefined)}
    >
      <TextArea
        label="E-mail addresses"
        name="emails"
        hint="One per line, without names. They get no more mail"
        error={
          isTooMany
            ? `At most ${SUPPRESSIONS_ADDED_MAX.toLocaleString('en')} addresses at a time.`
            : undefined
        }
        rows={6}
        spellCheck={false}
        className="font-mono text-xs"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Select
        label="Reason"
        name="reason"
        value={reason}
        onChange={({ target }) => setReason(target.value as Suppression['reason'])}
      >
        {SUPPRESSION_REASONS.map((one) => (
          <option key={one} value={one}>
            {SUPPRESSION_REASON_LABELS[one]}
          </option>
        ))}
      </Select>
    </FormDialog>
  );
}
