// Usage and performance, compared with the previous period. Clicking a chart lists the
// conversations of that time.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { botsQuery } from '../api/bots.ts';
import { ChoiceFilter, DateFilter, Filters } from '../ui/filters.tsx';
import { Loading, Page, Problem } from '../ui/page.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { formatDuration, useNowMs } from '../ui/time.tsx';
import {
  performanceQuery,
  usageQuery,
  type Performance,
  type PerformanceFigures,
  type Usage,
  type UsageFigures,
} from './api.ts';
import { DownloadFigures } from './download-figures.tsx';
import { Figure } from './figure.tsx';
import { Groups } from './groups.tsx';
import { formatCost } from './model-cost.ts';
import { DIMENSIONS, SPANS, toDates, toWindow } from './window.rules.ts';

const route = getRouteApi('/shell/analytics');

const SPAN_LABELS = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  month: 'This month',
  last_month: 'Last month',
  own: 'Custom',
} as const;

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0, notation: 'compact' });
const count = (value: number) =>
  Number.isInteger(value) || value >= 10 ? whole.format(value) : value.toFixed(1);
const minutes = (value: number) =>
  value === 0 || value >= 10 ? whole.format(value) : value.toFixed(value < 1 ? 2 : 1);
const percent = (value: number) => `${Math.round(value * 100)} %`;

export function AnalyticsPage() {
  const { span = '7d', from, to, bot_id, by } = route.useSearch();
  const navigate = useNavigate();
  const hourMs = Math.floor(useNowMs() / 3_600_000) * 3_600_000;
  const bots = useQuery(botsQuery);
  const about = bot_id === undefined ? {} : { bot_id };
  const period = { span, from, to };
  const window = toWindow(period, hourMs, 0);
  const now = { ...window, ...about };
  const before = { ...toWindow(period, hourMs, 1), ...about };
  const usage = useQuery(usageQuery(now));
  const usageBefore = useQuery(usageQuery(before));
  const performance = useQuery(performanceQuery(now));
  const performanceBefore = useQuery(performanceQuery(before));
  const buckets = usage.data?.buckets;
  const pick = useCallback(
    (index: number) => {
      const bucket = buckets?.[index];
      if (!bucket) return;
      void navigate({
        to: '/conversations',
        search: { started_after: bucket.start, started_before: bucket.end, bot_id },
      });
    },
    [buckets, navigate, bot_id],
  );
  const error = usage.error ?? performance.error;
  return (
    <Page title="Analytics" actions={<DownloadFigures question={{ ...now, ...(by && { group_by: by }) }} />}>
      <Tabs
        label="Period"
        current={span}
        tabs={SPANS.map((key) => ({
          key,
          label: SPAN_LABELS[key],
          search: { span: key, bot_id, by, ...(key === 'own' && toDates(window)) },
        }))}
      />
      <Filters>
        {span === 'own' && (
          <>
            <DateFilter name="from" label="From" value={from} />
            <DateFilter name="to" label="To" value={to} />
          </>
        )}
        <ChoiceFilter
          name="bot_id"
          label="Agent"
          value={bot_id}
          options={(bots.data?.items ?? []).map(({ id, name }) => [id, name] as const)}
        />
        <ChoiceFilter name="by" label="Group by" value={by} options={Object.entries(DIMENSIONS)} />
      </Filters>
      {error && (
        <Problem error={error} onRetry={() => void Promise.all([usage.refetch(), performance.refetch()])} />
      )}
      {(usage.isPending || performance.isPending) && !error && <Loading subject="figures" />}
      {usage.data && <Completeness of={usage.data} />}
      {usage.data && performance.data && (
        <Figures
          usage={usage.data}
          usageBefore={usageBefore.data}
          performance={performance.data}
          performanceBefore={performanceBefore.data}
          onPick={pick}
        />
      )}
      {by && <Groups question={{ ...now, group_by: by }} by={by} />}
    </Page>
  );
}

/** Says that figures still grow, and which. */
function Completeness({ of: { complete, interval, buckets } }: { of: Usage }) {
  if (complete) return null;
  return (
    <p className="text-ink-2">
      {buckets.at(-1)?.complete === false
        ? `The last ${interval} is not complete. Changes compare it with as many hours of the previous period.`
        : 'Some conversations of this period have not ended. They are counted when they end.'}
    </p>
  );
}

interface FiguresProps {
  readonly usage: Usage;
  readonly usageBefore: Usage | undefined;
  readonly performance: Performance;
  readonly performanceBefore: Performance | undefined;
  readonly onPick: (index: number) => void;
}

function Figures({ usage, usageBefore, performance, performanceBefore, onPick }: FiguresProps) {
  const { buckets } = usage;
  const used = (figure: (of: UsageFigures) => number | null) => ({
    buckets,
    now: toSeries(usage, figure),
    before: usageBefore && toSeries(usageBefore, figure),
  });
  const performed = (figure: (of: PerformanceFigures) => number | null) => ({
    buckets,
    now: toSeries(performance, figure),
    before: performanceBefore && toSeries(performanceBefore, figure),
  });
  return (
    <div className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
      <Figure title="Conversations" {...used((of) => of.conversations)} format={count} onPick={onPick} />
      <Figure title="Minutes" {...used((of) => of.minutes)} format={minutes} onPick={onPick} />
      <Figure title="Callers" {...used((of) => of.unique_callers)} format={count} onPick={onPick} />
      <Figure
        title="Completed"
        {...performed((of) => of.completion_rate)}
        format={percent}
        isRate
        more="good"
        onPick={onPick}
      />
      <Figure
        title="Failed"
        {...performed((of) => of.error_rate)}
        format={percent}
        isRate
        more="bad"
        onPick={onPick}
      />
      <Figure
        title="Interrupted replies"
        {...performed((of) => of.interruption_rate)}
        format={percent}
        isRate
        more="bad"
        onPick={onPick}
      />
      <Figure
        title="Response time, 95th percentile"
        {...performed((of) => of.latency.e2e.p95)}
        format={formatDuration}
        more="bad"
        onPick={onPick}
      />
      <Figure
        title="Model tokens"
        {...used((of) => of.tokens_in + of.tokens_out)}
        format={count}
        onPick={onPick}
      />
      <Figure
        title={usage.totals.unpriced_model_calls > 0 ? 'Model cost, as far as known' : 'Model cost'}
        {...used((of) => of.model_cost)}
        format={formatCost}
        more="bad"
        onPick={onPick}
      />
      <Figure title="Webhooks delivered" {...used((of) => of.webhook_deliveries)} format={count} />
      <Figure
        title="Webhook attempts delivered"
        {...performed((of) => of.webhook_success_rate)}
        format={percent}
        isRate
        more="good"
      />
    </div>
  );
}

/** One figure of the total and of each bucket. */
function toSeries<Of>(
  answer: { readonly totals: Of; readonly buckets: readonly Of[] },
  figure: (of: Of) => number | null,
) {
  return { total: figure(answer.totals), values: answer.buckets.map(figure) };
}
