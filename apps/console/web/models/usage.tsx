// What the models took this month, beside the budget, and the months before.
import { useQuery } from '@tanstack/react-query';
import { Facts } from '../ui/facts.tsx';
import { Loading, Problem, Section } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { useNowMs } from '../ui/time.tsx';
import { usageQuery, type ModelUsage } from './api.ts';

type Month = ModelUsage['months'][number];

const count = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const exact = new Intl.NumberFormat('en');
const amount = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const monthName = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const nameMonth = (month: string) => monthName.format(new Date(`${month}-01T00:00:00Z`));

/** The alert `model_budget_low` opens at this share. */
const LOW_FROM = 0.8;

export function Usage() {
  const { data, error, isLoading, refetch } = useQuery({ ...usageQuery, refetchInterval: 60_000 });
  const current = new Date(useNowMs()).toISOString().slice(0, 7);
  const before = data?.months.filter(({ month }) => month !== current) ?? [];
  return (
    <Section title="Usage this month">
      {isLoading && <Loading subject="usage" />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data && (
        <ThisMonth usage={data} name={current} month={data.months.find(({ month }) => month === current)} />
      )}
      {before.length > 0 && (
        <details>
          <summary className="cursor-pointer py-1">Earlier months</summary>
          <Table
            label="Earlier months"
            items={before}
            rowId={({ month }) => month}
            columns={{
              month: { head: 'Month', className: 'whitespace-nowrap', cell: ({ month }) => nameMonth(month) },
              calls: { head: 'Calls', numeric: true, cell: ({ calls }) => exact.format(calls) },
              cost: {
                head: 'Cost',
                numeric: true,
                cell: ({ cost }) => (cost === null ? 'unknown' : amount.format(cost)),
              },
            }}
            plain
          />
        </details>
      )}
    </Section>
  );
}

interface ThisMonthProps {
  readonly usage: ModelUsage;
  readonly name: string;
  readonly month: Month | undefined;
}

function ThisMonth({ usage, name, month }: ThisMonthProps) {
  const { monthly_budget: budget, budget_used_up: isUsedUp } = usage;
  const cost = month === undefined ? 0 : month.cost;
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-line p-4">
      <p>
        <span className="text-lg font-semibold tabular-nums">
          {cost === null ? 'Cost unknown' : amount.format(cost)}
        </span>{' '}
        <span className="text-ink-2">
          {budget === null ? 'spent, no budget set' : `of ${amount.format(budget)}`}
        </span>
      </p>
      {budget !== null && <Meter cost={cost ?? 0} budget={budget} />}
      {isUsedUp && (
        <p role="alert" className="rounded-md bg-bad-soft px-3 py-2">
          The budget is used up: flows call no model and take their default branches. Raise the budget, or
          wait for the next month.
        </p>
      )}
      <Facts
        rows={[
          ['Month', `${nameMonth(name)} (UTC)`],
          ['Calls', exact.format(month?.calls ?? 0)],
          [
            'Tokens',
            `${count.format(month?.tokens_in ?? 0)} in, ${count.format(month?.tokens_out ?? 0)} out`,
          ],
        ]}
      />
      {month !== undefined && month.unpriced_calls > 0 && (
        <p className="text-xs text-ink-2">
          {exact.format(month.unpriced_calls)} of the calls have no known cost. Enter the prices of your
          models to count them from now on.
        </p>
      )}
    </div>
  );
}

function Meter({ cost, budget }: { cost: number; budget: number }) {
  const share = Math.min(1, cost / budget);
  const percent = Math.round(share * 100);
  return (
    <div
      role="meter"
      aria-label="Share of the budget used"
      aria-valuenow={percent}
      aria-valuetext={`${percent} %`}
      className="h-2 overflow-hidden rounded border border-line bg-surface-3"
    >
      <div
        className={`h-full ${share >= 1 ? 'bg-bad' : share >= LOW_FROM ? 'bg-warn' : 'bg-accent'} forced-colors:bg-[CanvasText]`}
        style={{ width: `${share * 100}%` }}
      />
    </div>
  );
}
