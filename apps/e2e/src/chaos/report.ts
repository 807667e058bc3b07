// Formats the report of a run and decides whether the run failed.
import { ITEM_KINDS, SEEN_ON_ARRIVAL } from './account.rules.ts';
import { CONSUMED_WITHIN_MS, type ChaosReport } from './run-chaos.ts';

/** Reasons for failure; empty for a good run. */
export function listProblems(report: ChaosReport): string[] {
  const { lost, unidentified, conversations, problems } = report;
  return [
    ...lost.map((what) => `lost: ${what}`),
    ...unidentified.map((what) => `seen twice without an id that says so: ${what}`),
    ...conversations.not_ended.map((what) => `a conversation did not end: ${what}`),
    ...report.faults.flatMap(({ at, kind, consumed }) =>
      consumed && (consumed.ms ?? Infinity) > CONSUMED_WITHIN_MS
        ? [`${consumed.queue} was not consumed within ${seconds(CONSUMED_WITHIN_MS)} of ${kind} at ${at} s`]
        : [],
    ),
    ...problems,
  ];
}

export function formatReport(report: ChaosReport): string[] {
  const { kinds, faults, failed_requests: failed, requests, conversations } = report;
  const quiet = report.quiet_after_ms === null ? 'never' : `${(report.quiet_after_ms / 1000).toFixed(1)} s`;
  const failures = Object.entries(failed).sort(([a], [b]) => a.localeCompare(b));
  return [
    '',
    row('kind', ['accepted', 'delivered', 'lost', 'duplicated', 'unknown', 'slowest']),
    ...ITEM_KINDS.map((kind) => {
      const { accepted, delivered, lost, duplicated, unknown, slowestMs } = kinds[kind];
      // The other kinds are read after the run.
      const slowest = SEEN_ON_ARRIVAL.has(kind) ? seconds(slowestMs) : '–';
      return row(kind, [accepted, delivered, lost, duplicated, unknown, slowest]);
    }),
    '',
    row('fault', ['at', 'lasted', 'recovered', 'consumed']),
    ...faults.map(({ at, kind, target, lasted_ms, recovered_ms, consumed }) =>
      row(target === null ? kind : `${kind} ${target}`, [
        `${at} s`,
        seconds(lasted_ms),
        recovered_ms === null ? 'never' : seconds(recovered_ms),
        consumed === undefined ? '–' : consumed.ms === null ? 'never' : seconds(consumed.ms),
      ]),
    ),
    '',
    ...recoveryLine(faults),
    `${requests} requests, of which failed: ${failures.map(([what, count]) => `${what}: ${count}`).join(', ') || 'none'}`,
    `${conversations.held} conversations, ${conversations.held - conversations.not_ended.length} ended; duplicates ` +
      `${(report.duplicate_share * 100).toFixed(2)} %; quiet ${quiet} after the load`,
  ];
}

/** The target of every recovery; only informative, because the machine may be loaded. */
const RECOVERY_WANTED_MS = 20_000;

function recoveryLine(faults: ChaosReport['faults']): string[] {
  if (faults.length === 0) return [];
  const slowest = Math.max(...faults.map(({ recovered_ms }) => recovered_ms ?? Infinity));
  const verdict = slowest <= RECOVERY_WANTED_MS ? 'within' : 'MORE THAN';
  return [
    `slowest recovery ${seconds(slowest)}: ${verdict} the ${seconds(RECOVERY_WANTED_MS)} that are wanted`,
  ];
}

const NAME_WIDTH = 32;
const CELL_WIDTH = 11;
const row = (name: string, cells: readonly (string | number)[]): string =>
  `${name.padEnd(NAME_WIDTH)}${cells.map((cell) => String(cell).padStart(CELL_WIDTH)).join('')}`;
const seconds = (forMs: number): string => `${(forMs / 1000).toFixed(1)} s`;
