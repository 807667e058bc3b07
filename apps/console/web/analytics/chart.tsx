// A line chart with the previous period in grey. Screen readers cannot read a canvas, so figure.tsx
// adds a table.
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { useTheme } from '../ui/theme.ts';

const HEIGHT = 160;

interface ChartProps {
  readonly label: string;
  /** Start of each bucket, Unix seconds. */
  readonly times: readonly number[];
  readonly now: readonly (number | null)[];
  readonly before: readonly (number | null)[];
  readonly format: (value: number) => string;
  /** Receives the index of the clicked bucket. */
  readonly onPick?: (index: number) => void;
}

export function Chart({ label, times, now, before, format, onPick }: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const drawn = useRef<UPlot>(null);
  const theme = useTheme(); // a theme change redraws the chart with other CSS colours
  const hourly = isHourly(times);
  const few = times.length < 40;
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const chart = new UPlot(
      toChartOptions({ width: element.clientWidth, hourly, few, format }),
      [[], [], []],
      element,
    );
    drawn.current = chart;
    const pick = () => {
      const { idx } = chart.cursor;
      if (onPick && idx !== null && idx !== undefined) onPick(idx);
    };
    chart.over.addEventListener('click', pick);
    const resize = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      chart.destroy();
    };
  }, [hourly, few, format, onPick, theme]);
  useEffect(() => drawn.current?.setData([[...times], [...before], [...now]]));
  return <div ref={host} role="img" aria-label={label} className={onPick ? 'cursor-pointer' : ''} />;
}

interface ChartLook {
  readonly width: number;
  readonly hourly: boolean;
  readonly few: boolean;
  readonly format: (value: number) => string;
}

function toChartOptions({ width, hourly, few, format }: ChartLook): UPlot.Options {
  const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const axis = { stroke: colour('--ink-2'), ticks: { show: false }, font: '11px sans-serif' };
  const accent = colour('--accent');
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { y: { range: (_self, _low, high) => [0, high > 0 ? high * 1.1 : 1] } },
    axes: [
      {
        ...axis,
        size: 28,
        grid: { show: false },
        values: (_self, splits) => splits.map((at) => moment(at, hourly)),
      },
      {
        ...axis,
        grid: { stroke: colour('--line'), width: 1 },
        size: 52,
        values: (_self, splits) => splits.map(format),
      },
    ],
    series: [
      {},
      { stroke: colour('--line-strong'), width: 1, dash: [4, 3], points: { show: false } },
      { stroke: accent, width: 2, points: { show: few, size: 4, fill: accent } },
    ],
  };
}

/** Measures an inner bucket, because the window may cut the first and the last. */
export const isHourly = (times: readonly number[]): boolean => (times[2] ?? 0) - (times[1] ?? 0) < 86_400 / 2;

const hour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

export function moment(seconds: number, hourly: boolean): string {
  return (hourly ? hour : day).format(new Date(seconds * 1000));
}
