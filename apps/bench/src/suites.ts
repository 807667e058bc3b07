// The table of suites. A suite is a list of parts; each opens what it needs, measures its
// comparisons, and closes it again.
import type { Comparison, Measured, Reading } from './harness.ts';
import { engineParts } from './bundled-parts.ts';
import { byExamplesPart } from './flow/by-examples.ts';
import { chatPart } from './flow/chat.ts';
import { executePart } from './flow/execute.ts';
import { largeSavesPart } from './flow/large-saves.ts';
import { recordingPart } from './flow/recording.ts';
import { footprintParts } from './footprint/footprint.ts';
import { dialogsPart } from './peers/dialogs.ts';
import { nodeRedPart } from './peers/node-red.ts';
import { oneJobPart } from './peers/one-job.ts';
import { pushPart } from './peers/push.ts';
import { acceptPart } from './notifications/accept.ts';
import { broadcastPart } from './notifications/broadcast.ts';
import { bulkPart, topicPart } from './notifications/many.ts';
import { analyticsPart } from './voice/analytics.ts';
import { deadReceiverPart } from './voice/dead-receiver.ts';
import { deliveriesPart } from './voice/deliveries.ts';
import { ingestPart } from './voice/ingest.ts';
import { listsPart } from './voice/lists.ts';
import { partitionsPart } from './voice/partitions.ts';
import { turnReportsPart } from './voice/turn-reports.ts';

/** What a part is given by main.ts. */
export interface Setting {
  /** The checkout. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** How often a comparison is repeated; readings go by it as well. */
  readonly rounds: number;
}

/** Measures, reports, and gives what was measured. */
export type Measure = (comparison: Comparison) => Promise<Measured>;

export interface Part {
  readonly title: string;
  /**
   * Calls `measure` once a comparison, with everything it needs running, and `tell` with figures
   * that are no comparison.
   */
  open(setting: Setting, measure: Measure, tell: (reading: Reading) => void): Promise<void>;
}

/** The parts of each suite, in order; `root` is the checkout. */
export const suites: Readonly<Record<string, (root: string) => Promise<readonly Part[]> | readonly Part[]>> =
  {
    flow: async (root) => [
      ...(await engineParts(root)),
      executePart,
      chatPart,
      byExamplesPart,
      recordingPart,
      largeSavesPart,
    ],
    voice: () => [
      deliveriesPart,
      ingestPart,
      turnReportsPart,
      analyticsPart,
      listsPart,
      partitionsPart,
      deadReceiverPart,
    ],
    notifications: () => [broadcastPart, acceptPart, bulkPart, topicPart],
    peers: async (root) => [
      nodeRedPart,
      dialogsPart,
      ...(await engineParts(root)).filter(({ title }) => title === 'turns in process'),
      pushPart,
      oneJobPart,
    ],
    footprint: () => footprintParts,
  };
