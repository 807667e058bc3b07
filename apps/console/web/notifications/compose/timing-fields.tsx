// Optional timing fields: delivery hours, throttle or digest, steps, expiry, tracking and callback.
import { Checkbox, Select, TextField } from '../../ui/field.tsx';
import { StepsFields } from './steps-fields.tsx';
import { dayLabel, DAYS, type Day, type Timing, type Tracked } from './timing.rules.ts';

const TRACKED: Readonly<Record<Tracked, string>> = {
  clicks: 'Clicks in e-mails and pushes',
  opens: 'Opens of e-mails',
};

interface TimingProps {
  readonly timing: Timing;
  readonly onChange: (timing: Timing) => void;
}

/** Of a send. */
export function TimingFields({ timing, onChange }: TimingProps) {
  const change = (part: Partial<Timing>) => onChange({ ...timing, ...part });
  return (
    <details className="rounded-lg border border-line px-3 py-2">
      <summary className="font-medium">Hours, digests, steps and tracking</summary>
      <div className="flex flex-col gap-5 pt-3">
        <WorkflowTimingFields timing={timing} onChange={onChange} hasKey />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Expires at"
            hint="Undelivered messages are dropped after this time"
            type="datetime-local"
            value={timing.expiresAt}
            onChange={(event) => change({ expiresAt: event.target.value })}
          />
          <TextField
            label="Callback URL"
            hint="An https address that Parley calls with the final result, signed like a webhook"
            type="url"
            maxLength={2048}
            value={timing.callbackUrl}
            onChange={(event) => change({ callbackUrl: event.target.value })}
          />
        </div>
      </div>
    </details>
  );
}

/** What a workflow has too, without a key of throttles and digests. */
export function WorkflowTimingFields({
  timing,
  onChange,
  hasKey = false,
}: TimingProps & { readonly hasKey?: boolean }) {
  const change = (part: Partial<Timing>) => onChange({ ...timing, ...part });
  return (
    <>
      <Hours timing={timing} onChange={onChange} />
      <Many timing={timing} onChange={onChange} hasKey={hasKey} />
      <StepsFields steps={timing.steps} onChange={(steps) => change({ steps })} />
      <fieldset className="flex flex-wrap gap-x-4 gap-y-2">
        <legend className="mb-1 font-medium">Track</legend>
        {(Object.keys(TRACKED) as Tracked[]).map((what) => (
          <Checkbox
            key={what}
            label={TRACKED[what]}
            checked={timing.tracked.includes(what)}
            onChange={(event) =>
              change({
                tracked: [
                  ...timing.tracked.filter((one) => one !== what),
                  ...(event.target.checked ? [what] : []),
                ],
              })
            }
          />
        ))}
      </fieldset>
    </>
  );
}

function DayFields({
  label,
  days,
  onChange,
}: {
  label: string;
  days: readonly Day[];
  onChange: (days: readonly Day[]) => void;
}) {
  return (
    <fieldset className="flex flex-wrap gap-x-4 gap-y-2">
      <legend className="mb-1 font-medium">{label}</legend>
      {DAYS.map((day) => (
        <Checkbox
          key={day}
          label={dayLabel(day)}
          checked={days.includes(day)}
          onChange={(event) =>
            onChange(DAYS.filter((one) => (one === day ? event.target.checked : days.includes(one))))
          }
        />
      ))}
    </fieldset>
  );
}

function Hours({ timing, onChange }: TimingProps) {
  const time = (label: string, name: 'quietFrom' | 'quietUntil' | 'windowFrom' | 'windowUntil') => (
    <TextField
      label={label}
      type="time"
      value={timing[name]}
      onChange={(event) => onChange({ ...timing, [name]: event.target.value })}
    />
  );
  return (
    <>
      <div className="grid grid-cols-2 gap-4">
        {time('Quiet hours from', 'quietFrom')}
        {time('Quiet hours until', 'quietUntil')}
        {time('Send window from', 'windowFrom')}
        {time('Send window until', 'windowUntil')}
      </div>
      <DayFields label="Send on" days={timing.days} onChange={(days) => onChange({ ...timing, days })} />
      <TextField
        label="Time zone"
        hint="For example Europe/Berlin. Default: the recipient’s time zone. The inbox and webhooks do not wait"
        maxLength={64}
        value={timing.timezone}
        onChange={(event) => onChange({ ...timing, timezone: event.target.value })}
      />
    </>
  );
}

function Many({ timing, onChange, hasKey }: TimingProps & { readonly hasKey: boolean }) {
  const { many } = timing;
  const change = (part: Partial<Timing>) => onChange({ ...timing, ...part });
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Select
          label={hasKey ? 'When several sends share a key' : 'When several sends have the same target'}
          value={many}
          onChange={(event) => change({ many: event.target.value as Timing['many'] })}
        >
          <option value="each">Send each</option>
          <option value="throttle">Send one, drop the rest (throttle)</option>
          <option value="digest">Combine into one (digest, needs a template)</option>
          <option value="digestAt">Combine until a time of day (digest, needs a template)</option>
        </Select>
        {many !== 'each' && (
          <div className="grid grid-cols-[1fr_6rem] gap-4">
            {hasKey && (
              <TextField
                label="Key"
                required
                maxLength={255}
                value={timing.key}
                onChange={(event) => change({ key: event.target.value })}
              />
            )}
            {many === 'digestAt' ? (
              <TextField
                label="Send at time"
                type="time"
                required
                value={timing.digestTime}
                onChange={(event) => change({ digestTime: event.target.value })}
              />
            ) : (
              <TextField
                label="Seconds"
                type="number"
                required
                min={1}
                max={2_592_000}
                value={timing.seconds}
                onChange={(event) => change({ seconds: event.target.value })}
              />
            )}
          </div>
        )}
      </div>
      {many === 'digestAt' && (
        <DayFields
          label="Combine until"
          days={timing.digestDays}
          onChange={(digestDays) => change({ digestDays })}
        />
      )}
    </>
  );
}
