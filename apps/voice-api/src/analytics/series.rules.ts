// The series of rollups: all conversations or those of one bot, and of these all or those with one
// value of a dimension. One query reads one series, or the series of one dimension. Pure.

/** Values of `group_by`. */
export const DIMENSIONS = [
  'bot_id',
  'bot_version',
  'channel',
  'status',
  'end_reason',
  'error_code',
  'language',
  'flow_id',
  'flow_version',
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export interface Series {
  /** Empty: all bots, and conversations without a bot. */
  readonly botId: string;
  /** `traffic`: webhook attempts and API requests, which belong to no conversation. */
  readonly dimension: Dimension | 'all' | 'traffic';
  /** Empty: no value of the dimension; always so for `all` and `traffic`. */
  readonly value: string;
}

export const TRAFFIC: Series = { botId: '', dimension: 'traffic', value: '' };

/** The dimensions of a conversation; empty when it has no bot, language, flow or error. */
export type Facets = Readonly<Record<Dimension, string>>;

/** Lists every series that a fact belongs to. */
export function listSeries(fact: Facets): Series[] {
  if (fact.status === '') return [TRAFFIC]; // belongs to no conversation
  const of = (botId: string, dimensions: readonly Dimension[]): Series[] => [
    { botId, dimension: 'all', value: '' },
    // Few conversations have an error; the others need no series for that.
    ...dimensions
      .filter((dimension) => dimension !== 'error_code' || fact.error_code !== '')
      .map((dimension) => ({ botId, dimension, value: fact[dimension] })),
  ];
  const all = of('', DIMENSIONS);
  // Within one bot, grouping by bot is pointless.
  return fact.bot_id === ''
    ? all
    : [
        ...all,
        ...of(
          fact.bot_id,
          DIMENSIONS.filter((dimension) => dimension !== 'bot_id'),
        ),
      ];
}
