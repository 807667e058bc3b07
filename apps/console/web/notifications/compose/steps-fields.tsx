// Channels that follow later, one row a step.
import { Button } from '../../ui/button.tsx';
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { channelLabel, CHANNELS, type Channel } from '../channels.ts';
import { emptyStep, STEPS_MAX, type StepDraft, type Unless } from './timing.rules.ts';

const UNLESS: Readonly<Record<Unless, string>> = {
  read: 'it was read in the inbox',
  delivered: 'another channel delivered it',
  clicked: 'it was clicked',
};

interface StepsProps {
  readonly steps: readonly StepDraft[];
  readonly onChange: (steps: readonly StepDraft[]) => void;
}

export function StepsFields({ steps, onChange }: StepsProps) {
  const change = (index: number, part: Partial<StepDraft>) =>
    onChange(steps.map((step, at) => (at === index ? { ...step, ...part } : step)));
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 font-medium">Steps</legend>
      <p className="text-xs text-ink-2">Channels that follow later. Each channel is sent once.</p>
      {steps.map((step, index) => (
        <fieldset key={index} className="flex flex-col gap-3 border-l-2 border-line pl-3">
          <legend className="sr-only">Step {index + 1}</legend>
          <div className="flex flex-wrap gap-x-5 gap-y-2">
            {CHANNELS.map((channel) => (
              <Checkbox
                key={channel}
                label={channelLabel(channel)}
                checked={step.channels.includes(channel)}
                onChange={(event) =>
                  change(index, { channels: withChannel(step, channel, event.target.checked) })
                }
              />
            ))}
          </div>
          <div className="grid items-end gap-4 sm:grid-cols-[8rem_1fr_auto]">
            <TextField
              label="Seconds after"
              type="number"
              required
              min={1}
              max={2_592_000}
              value={step.after}
              onChange={(event) => change(index, { after: event.target.value })}
            />
            <Select
              label="Unless"
              value={step.unless}
              onChange={(event) => change(index, { unless: event.target.value as StepDraft['unless'] })}
            >
              <option value="">always send</option>
              {(Object.keys(UNLESS) as Unless[]).map((name) => (
                <option key={name} value={name}>
                  {UNLESS[name]}
                </option>
              ))}
            </Select>
            <Button
              kind="quiet"
              aria-label={`Remove step ${index + 1}`}
              onClick={() => onChange(steps.filter((_, at) => at !== index))}
            >
              Remove
            </Button>
          </div>
        </fieldset>
      ))}
      <div>
        <Button
          icon="plus"
          disabled={steps.length >= STEPS_MAX}
          onClick={() => onChange([...steps, emptyStep])}
        >
          Add step
        </Button>
      </div>
    </fieldset>
  );
}

const withChannel = ({ channels }: StepDraft, channel: Channel, chosen: boolean) =>
  CHANNELS.filter((one) => (one === channel ? chosen : channels.includes(one)));
