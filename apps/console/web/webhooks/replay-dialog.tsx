// Events of a stretch of time, sent again: counted first, then sent.
import { useState } from 'react';
import { Select } from '../ui/field.tsx';
import { beginOf, STRETCH_OPTIONS, type Stretch } from '../ui/filters.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { notice } from '../ui/notice.tsx';
import { replay, useWebhookChange, type Replay } from './api.ts';
import { EVENT_TYPES, type EventType } from './catalogue.ts';

type Which = NonNullable<Replay['status']> | '';

const WHICH: readonly (readonly [Which, string])[] = [
  ['', 'What did not arrive'],
  ['exhausted', 'What failed for the last time'],
  ['skipped', 'What was skipped while it was disabled'],
  ['delivered', 'What arrived'],
];

export function ReplayDialog({ webhookId, onClose }: { webhookId: string; onClose: () => void }) {
  const [last, setLast] = useState<Stretch>('24h');
  const [which, setWhich] = useState<Which>('');
  const [event, setEvent] = useState<EventType | ''>('');
  /** What was counted is what is sent: the end of the stretch stays where it was. */
  const [asked, setAsked] = useState<{ readonly question: string; readonly body: Replay } | null>(null);
  const question = [last, which, event].join(' ');
  const counted = asked?.question === question ? asked.body : null;
  const count = useWebhookChange((body: Replay) => replay(webhookId, { ...body, dry_run: true }));
  const send = useWebhookChange(
    (body: Replay) => replay(webhookId, { ...body, dry_run: false }),
    ({ replayed }) => {
      notice(`${replayed} deliveries are on their way`);
      onClose();
    },
  );
  const ask = () => {
    const nowMs = Date.now();
    const body: Replay = {
      since: beginOf(last, nowMs),
      until: new Date(nowMs).toISOString(),
      dry_run: true,
      ...(which === '' ? {} : { status: which }),
      ...(event === '' ? {} : { event }),
    };
    setAsked({ question, body });
    count.mutate(body);
  };
  return (
    <FormDialog
      title="Replay"
      verb={counted && count.data && count.data.matched > 0 ? `Send ${count.data.matched}` : 'Count'}
      sending={{ isPending: count.isPending || send.isPending, error: count.error ?? send.error }}
      disabled={counted !== null && count.data?.matched === 0}
      onClose={onClose}
      onSubmit={() => {
        if (counted && count.data) send.mutate(counted);
        else ask();
      }}
    >
      <Select
        label="Deliveries of the"
        value={last}
        onChange={({ target }) => setLast(target.value as Stretch)}
      >
        {STRETCH_OPTIONS.map(([value, words]) => (
          <option key={value} value={value}>
            {words.toLowerCase()}
          </option>
        ))}
      </Select>
      <Select label="Which" value={which} onChange={({ target }) => setWhich(target.value as Which)}>
        {WHICH.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </Select>
      <Select label="Event" value={event} onChange={({ target }) => setEvent(target.value as EventType | '')}>
        <option value="">All</option>
        {EVENT_TYPES.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </Select>
      {counted && count.data && (
        <p role="status" className="rounded-md bg-surface-2 px-3 py-2">
          {count.data.matched === 0
            ? 'There is nothing to send again.'
            : `${count.data.matched} deliveries would be sent again, once each.`}
        </p>
      )}
    </FormDialog>
  );
}
