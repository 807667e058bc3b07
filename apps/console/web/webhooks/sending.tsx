// How a webhook is sent to: of which bots, which events of those, how fast, in which order, and what signs them.
import { useQuery } from '@tanstack/react-query';
import { botsQuery } from '../conversations/api.ts';
import { Checkbox, TextArea, TextField } from '../ui/field.tsx';
import { readFilter, type Sending } from './sending.rules.ts';

interface SendingFieldsProps {
  readonly value: Sending;
  readonly onChange: (value: Sending) => void;
}

export function SendingFields({ value, onChange }: SendingFieldsProps) {
  const put = (patch: Partial<Sending>) => onChange({ ...value, ...patch });
  const filter = readFilter(value.filter);
  return (
    <>
      <BotPicker chosen={value.bots} onChange={(bots) => put({ bots })} />
      <TextArea
        label="Only events that meet"
        hint="A condition over data, as on an edge of a flow. Empty: every one."
        error={typeof filter === 'string' ? filter : undefined}
        placeholder={'{"variable": "metadata.plan", "op": "eq", "value": "gold"}'}
        className="font-mono text-xs"
        spellCheck={false}
        maxLength={4096}
        value={value.filter}
        onChange={({ target }) => put({ filter: target.value })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Seconds for an answer"
          hint="0.5 to 30. Empty: what the operator says"
          type="number"
          min={0.5}
          max={30}
          step={0.1}
          value={value.seconds}
          onChange={({ target }) => put({ seconds: target.value })}
        />
        <TextField
          label="Attempts a second"
          hint="1 to 1,000. Empty: as fast as it answers"
          type="number"
          min={1}
          max={1000}
          value={value.rate}
          onChange={({ target }) => put({ rate: target.value })}
        />
      </div>
      <Checkbox
        label="In order"
        hint="One delivery after the other within a conversation: a failed one is waited for"
        checked={value.isOrdered}
        onChange={({ target }) => put({ isOrdered: target.checked })}
      />
      <Checkbox
        label="Sign with a key pair too"
        hint="Ed25519 (v1a): who checks it needs the public key only, and no secret"
        checked={value.isAsymmetric}
        onChange={({ target }) => put({ isAsymmetric: target.checked })}
      />
    </>
  );
}

function BotPicker({
  chosen,
  onChange,
}: {
  readonly chosen: readonly string[];
  readonly onChange: (bots: readonly string[]) => void;
}) {
  const bots = useQuery(botsQuery).data?.items ?? [];
  const known = new Map(bots.map(({ id, name }) => [id, name]));
  // A bot that is gone, or beyond the first hundred, stays chosen until somebody takes it out.
  const all = [...bots.map(({ id }) => id), ...chosen.filter((id) => !known.has(id))];
  if (all.length === 0) return null;
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Bots</legend>
      <p className="text-xs text-ink-2">Of none: events of every bot, also of those that are made later.</p>
      <div className="grid max-h-40 gap-2 overflow-y-auto sm:grid-cols-2">
        {all.map((id) => (
          <Checkbox
            key={id}
            label={known.get(id) ?? id}
            checked={chosen.includes(id)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}
