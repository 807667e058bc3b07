// Replays the deliveries of a period: counts first, then sends.
import { useState } from 'react';
import { useAction } from '../ui/action.ts';
import { Select } from '../ui/field.tsx';
import { getPeriodStart, PERIOD_OPTIONS, type Period } from '../ui/filters.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { WEBHOOKS, replay, type Replay } from './api.ts';
import { EVENT_TYPES, type EventType } from './catalogue.ts';

type Which = NonNullable<Replay['status']> | '';

const WHICH: readonly (readonly [Which, string])[] = [
  ['', 'Not delivered'],
  ['exhausted', 'Failed permanently'],
  ['skipped', 'Skipped while the webhook was disabled'],
  ['delivered', 'Delivered'],
];

export function ReplayDialog({ webhookId, onClose }: { webhookId: string; onClose: () => void }) {
  const [last, setLast] = useState<Period>('24h');
  const [which, setWhich] = useState<Which>('');
  const [event, setEvent] = useState<EventType | ''>('');
  /** Fixed at the count, so that the replay covers the same period. */
  const [counting, setCounting] = useState<{ readonly question: string; readonly body: Replay } | null>(null);
  const question = [last, which, event].join(' ');
  const counted = counting?.question === question ? counting.body : null;
  const count = useAction((body: Replay) => replay(webhookId, { ...body, dry_run: true }), {
    says: ({ replayed }) => `${replayed} deliveries found`,
    isShown: true,
  });
  const send = useAction((body: Replay) => replay(webhookId, { ...body, dry_run: false }), {
    says: ({ replayed }) => `Replaying ${replayed} deliveries`,
    reloads: WEBHOOKS,
    then: onClose,
  });
  const startCount = () => {
    const nowMs = Date.now();
    const body: Replay = {
      since: getPeriodStart(last, nowMs),
      until: new Date(nowMs).toISOString(),
      dry_run: true,
      ...(which === '' ? {} : { status: which }),
      ...(event === '' ? {} : { event }),
    };
    setCounting({ question, body });
    count.mutate(body);
  };
  return (
    <FormDialog
      title="Replay deliveries"
      verb={
        counted && count.data && count.data.matched > 0
          ? `Replay ${count.data.matched} deliveries`
          : 'Count deliveries'
      }
      mutation={{ isPending: count.isPending || send.isPending, error: count.error ?? send.error }}
      disabled={counted !== null && count.data?.matched === 0}
      onClose={onClose}
      onSubmit={() => {
        if (counted && count.data) send.mutate(counted);
        else startCount();
      }}
    >
      <Select label="Period" value={last} onChange={({ target }) => setLast(target.value as Period)}>
        {PERIOD_OPTIONS.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </Select>
      <Select label="State" value={which} onChange={({ target }) => setWhich(target.value as Which)}>
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
            ? 'No matching deliveries. Change the selection and count again.'
            : `Replaying sends ${count.data.matched} deliveries again, once each.`}
        </p>
      )}
    </FormDialog>
  );
}
