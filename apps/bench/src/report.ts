// Prints what was measured: for people as text, for programs as JSON.
import {
  FOREIGN_CORES_MAX,
  type Figure,
  type Measured,
  type MeasuredRatio,
  type MeasuredVariant,
  type Reading,
} from './harness.ts';
import { keeps } from './statistics.ts';

/** Both sides with their absolute figures, then the ratios against their targets. */
export function asText(measured: Measured): string {
  const names = Math.max(...measured.variants.map(({ name }) => name.length));
  return [
    measured.title,
    ...measured.variants.map(
      (variant) => `  ${variant.name.padEnd(names)}  ${figures(measured.operation, variant)}`,
    ),
    ...measured.ratios.map((ratio) => `  ${verdict(ratio)}`),
    `  ${measured.rounds} rounds; ${guardLine(measured)}`,
    ...(measured.note === undefined ? [] : [`  ${measured.note}`]),
    '',
  ].join('\n');
}

/** Figures with their own targets. */
export function readingAsText({ title, figures: all, note }: Reading): string {
  const names = Math.max(...all.map(({ name }) => name.length));
  return [
    title,
    ...all.map((figure) => `  ${figure.name.padEnd(names)}  ${figureText(figure)}`),
    ...(note === undefined ? [] : [`  ${note}`]),
    '',
  ].join('\n');
}

function figureText(figure: Figure): string {
  const { value, unit, atLeast, atMost } = figure;
  const kept = keeps(figure, value);
  const bound = atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
  const judged = kept === null ? '' : `  (target ${bound}: ${kept ? 'kept' : 'MISSED'})`;
  return `${`${rounded(value)} ${unit}`.padStart(20)}${judged}`;
}

function figures(operation: string, { perSecond, wallUs, cpuUs }: MeasuredVariant): string {
  const rate = `${rounded(perSecond)} ${operation}s/s`.padStart(24);
  const wall = `${rounded(wallUs)} us`.padStart(14);
  return `${rate}${wall}${cpuUs === null ? '' : `${rounded(cpuUs)} us CPU`.padStart(18)}`;
}

function verdict(ratio: MeasuredRatio): string {
  const { median, lowest, highest, of, over, under, aim, byCpu } = ratio;
  const kept = keeps(ratio, median);
  const bound = ratio.atLeast === undefined ? `at most ${ratio.atMost}` : `at least ${ratio.atLeast}`;
  const judged =
    kept === null
      ? 'for information'
      : `target ${bound}${aim === undefined ? '' : `, aim ${aim}`}: ${kept ? 'kept' : 'MISSED'}`;
  const facts = [
    `${factor(lowest)} to ${factor(highest)}`,
    ...(byCpu === null ? [] : [`by CPU time ${factor(byCpu)}`]),
    judged,
  ];
  return `${factor(median)} x  ${of === 'time' ? 'the time of ' : ''}${over} / ${under}  (${facts.join('; ')})`;
}

/** Every ratio of a suite as a row in Markdown. */
export function asTable(results: readonly Measured[]): string {
  const rows = results.flatMap(({ title, ratios }) =>
    ratios.map(({ over, under, median, byCpu, aim: _aim, of: _of, ...target }) => {
      const kept = keeps(target, median);
      const bound = target.atLeast === undefined ? `≤ ${target.atMost}` : `≥ ${target.atLeast}`;
      const cells = [
        title,
        over,
        under,
        `${factor(median)} ×`,
        byCpu === null ? '–' : `${factor(byCpu)} ×`,
        kept === null ? '–' : `${bound}: ${kept ? 'kept' : 'missed'}`,
      ];
      return `| ${cells.join(' | ')} |`;
    }),
  );
  return ['| work | | of | ratio | by CPU | target |', '| --- | --- | --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}

/** For the eye; judged is the unrounded figure. */
function factor(ratio: number): string {
  return ratio >= 10 ? ratio.toFixed(1) : ratio.toFixed(2);
}

function guardLine({ disturbance }: Measured): string {
  const { windows, repeated, disturbed, worstCores } = disturbance;
  if (worstCores === null) return `${windows} windows; what else ran on this machine is not known (no /proc)`;
  return (
    `${windows} windows, ${repeated} repeated because others used more than ${FOREIGN_CORES_MAX} core, ` +
    `${disturbed} kept all the same (worst ${worstCores.toFixed(2)} core)`
  );
}

/** Three figures are as many as mean something. */
function rounded(value: number): string {
  if (value >= 1000)
    return Math.round(Number(value.toPrecision(3)))
      .toLocaleString('en-US')
      .replaceAll(',', ' ');
  return String(Number(value.toPrecision(3)));
}

export function asJson(
  suite: string,
  results: readonly Measured[],
  readings: readonly Reading[] = [],
): string {
  const judged = results.map((measured) => ({
    ...measured,
    ratios: measured.ratios.map((ratio) => ({ ...ratio, kept: keeps(ratio, ratio.median) })),
  }));
  return JSON.stringify(
    {
      suite,
      node: process.version,
      foreign_cores_max: FOREIGN_CORES_MAX,
      comparisons: judged,
      readings: readings.map((reading) => ({
        ...reading,
        figures: reading.figures.map((figure) => ({ ...figure, kept: keeps(figure, figure.value) })),
      })),
    },
    null,
    2,
  );
}
