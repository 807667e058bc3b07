// Figures as CSV (docs/voice-api.md#figures-as-csv), for `format=csv` and `Accept: text/csv`.
import { Reply } from '@parley/server/http';
import { csvLine } from '../csv.rules.ts';
import { chooseForm } from '../negotiate.rules.ts';
import type { AnalyticsAnswer } from './answer-question.ts';
import type { FlowAnswers, FlowSteps } from './schemas.ts';

const FORMS = ['application/json', 'text/csv'] as const;

export interface FigureForm {
  /** Of the query; wins over `accept`. */
  readonly format?: 'json' | 'csv' | undefined;
  readonly accept: string | undefined;
}

/** Returns `answer`, or the CSV of `lines` when the request prefers that. */
export function replyInForm<Answer>(
  answer: Answer,
  { format, accept }: FigureForm,
  name: string,
  lines: (answer: Answer) => readonly (readonly unknown[])[],
): Answer | Reply {
  const isCsv = format === undefined ? chooseForm(accept, FORMS) === 'text/csv' : format === 'csv';
  if (!isCsv) return answer;
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${name}.csv"`,
    vary: 'Accept',
  };
  return new Reply(lines(answer).map(csvLine).join(''), { headers });
}

/**
 * A line for each bucket and each of its groups, then the totals. `row` distinguishes them, so that
 * a sum over one kind counts nothing twice.
 * @param complete the figures with every member, which gives the columns
 */
export function listFigureLines(answer: AnalyticsAnswer<object>, complete: object): unknown[][] {
  const names = flatten(complete).map(([name]) => name);
  const { group_by: dimension, totals, buckets } = answer;
  const toLine = (row: string, place: readonly unknown[], key: readonly unknown[], figures: object) => {
    const values = new Map(flatten(figures));
    return [row, ...place, ...key, ...names.map((name) => values.get(name))];
  };
  const toLines = (row: string, place: readonly unknown[], figures: typeof totals) => [
    toLine(row, place, dimension === null ? [] : [null], figures),
    ...(figures.groups ?? []).map((group) => toLine(`${row}_group`, place, [group.key], group)),
  ];
  const period = [answer.from, answer.to, answer.complete, null];
  return [
    ['row', 'start', 'end', 'complete', 'whole', ...(dimension === null ? [] : [dimension]), ...names],
    ...buckets.flatMap((bucket) =>
      toLines('bucket', [bucket.start, bucket.end, bucket.complete, bucket.whole], bucket),
    ),
    ...toLines('total', period, totals),
  ];
}

/** A line for each node and each edge. */
export function listStepLines({ nodes, edges }: FlowSteps): unknown[][] {
  return [
    ['row', 'index', 'turns', 'left'],
    ...nodes.map(({ index, turns, left }) => ['node', index, turns, left]),
    ...edges.map(({ index, turns }) => ['edge', index, turns, null]),
  ];
}

/** A line for each question, then for each of the answers that it refused. */
export function listAnswerLines({ questions }: FlowAnswers): unknown[][] {
  return [
    ['row', 'index', 'understood', 'understood_later', 'asked_again', 'lost', 'words', 'count'],
    ...questions.flatMap(({ refused, index, ...counts }) => [
      [
        'question',
        index,
        counts.understood,
        counts.understood_later,
        counts.asked_again,
        counts.lost,
        null,
        null,
      ],
      ...refused.map(({ words, count }) => ['refused', index, null, null, null, null, words, count]),
    ]),
  ];
}

/** Members of members are joined by an underscore: `latency_e2e_p95`. */
function flatten(figures: object, prefix = ''): [string, unknown][] {
  return Object.entries(figures).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? flatten(value, `${prefix}${name}_`)
      : [[prefix + name, value] as [string, unknown]],
  );
}
