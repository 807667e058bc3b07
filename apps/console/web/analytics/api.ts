// Usage and performance of the voice API.
import { queryOptions } from '@tanstack/react-query';
import { readJsonData, voiceApi } from '../api/clients.ts';
import type { operations } from '@parley/sdk/voice-api';
import type { Dimension, Window } from './window.rules.ts';

type ResponseData<Operation extends 'getUsage' | 'getPerformance'> =
  operations[Operation]['responses'][200]['content']['application/json']['data'];
export type Usage = ResponseData<'getUsage'>;
export type Performance = ResponseData<'getPerformance'>;
/** The members that a bucket and the total share. */
export type UsageFigures = Omit<Usage['totals'], 'groups'>;
export type PerformanceFigures = Omit<Performance['totals'], 'groups'>;

export interface AnalyticsQuery extends Window {
  readonly bot_id?: string;
  readonly group_by?: Dimension;
}

const withTimezone = (query: AnalyticsQuery) => ({
  params: { query: { ...query, timezone: Intl.DateTimeFormat().resolvedOptions().timeZone } },
});

export const usageQuery = (question: AnalyticsQuery) =>
  queryOptions({
    queryKey: ['usage', question],
    queryFn: () => readJsonData(voiceApi.GET('/v1/analytics/usage', withTimezone(question))),
  });

export const performanceQuery = (question: AnalyticsQuery) =>
  queryOptions({
    queryKey: ['performance', question],
    queryFn: () => readJsonData(voiceApi.GET('/v1/analytics/performance', withTimezone(question))),
  });

/** The figures as CSV. */
export async function readFigureFile(kind: 'usage' | 'performance', question: AnalyticsQuery): Promise<Blob> {
  const { params } = withTimezone(question);
  const query = new URLSearchParams({ ...params.query, format: 'csv' });
  const response = await fetch(`/api/voice-api/v1/analytics/${kind}?${query}`);
  if (!response.ok)
    throw new Error(`The figures could not be downloaded (status ${response.status}). Try again.`);
  return response.blob();
}
