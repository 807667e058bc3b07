// The times until which a user may snooze an item.
import { useSetting } from './provider.tsx';

const HOUR_MS = 3_600_000;
const MORNING_HOUR = 9;
const MONDAY = 1;

/** In the time zone of the browser. */
function morningIn(days: number): Date {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, MORNING_HOUR);
}

const daysUntilMonday = () => (MONDAY - new Date().getDay() + 7) % 7 || 7;

const CHOICES: Readonly<Record<'snoozeHour' | 'snoozeDay' | 'snoozeWeek', () => Date>> = {
  snoozeHour: () => new Date(Date.now() + HOUR_MS),
  snoozeDay: () => morningIn(1),
  snoozeWeek: () => morningIn(daysUntilMonday()),
};

export function SnoozeChoices({ choose }: { choose: (until: Date) => void }) {
  const { words } = useSetting();
  return (
    <div role="group" aria-label={words.snooze} className="parley-inbox-actions">
      {Object.entries(CHOICES).map(([name, until]) => (
        <button key={name} type="button" className="parley-inbox-button" onClick={() => choose(until())}>
          {words[name as keyof typeof CHOICES]}
        </button>
      ))}
    </div>
  );
}
