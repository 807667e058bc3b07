// The ways of looking at conversations that rollups are kept for: all of them or those of one bot, and of those all or those with
// one value of a dimension. A question is answered from exactly one series, or from the series of one dimension. Pure.

/** What `group_by` may name. */
export const DIMENSIONS = [
  'bot_id',
  'bot_version',
  'channel',
  'status',
  'end_reason',
  'language',
  'flow_id',
  'flow_version',
] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export interface Series {
  /** The empty text: every bot, and conversations without one. */
  readonly botId: string;
  /** `traffic`: webhook attempts and API requests, which belong to no conversation. */
  readonly dimension: Dimension | 'all' | 'traffic';
  /** The empty text: without a value of the dimension; and for `all` and `traffic`. */
  readonly value: string;
}

export const TRAFFIC: Series = { botId: '', dimension: 'traffic', value: '' };

/** The dimensions of a conversation; the empty text where it has no bot, language or flow. */
export type Facets = Readonly<Record<Dimension, string>>;

/** Every series that a fact belongs to. */
export function seriesOf(fact: Facets): Series[] {
  if (fact.status === '') return [TRAFFIC]; // of no conversation
  const of = (botId: string, dimensions: readonly Dimension[]): Series[] => [
    { botId, dimension: 'all', value: '' },
    ...dimensions.map((dimension) => ({ botId, dimension, value: fact[dimension] })),
  ];
  const all = of('', DIMENSIONS);
  // Within one bot there is nothing to group by bot.
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
