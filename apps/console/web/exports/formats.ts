// Labels of the export formats. The compiler checks that none is missing.
import type { Export, Format } from './api.ts';

interface FormatInfo {
  readonly label: string;
  /** Absent: the format does not support it. */
  readonly hints: Partial<Readonly<Record<Export['of'], string>>>;
  readonly extension: string;
}

export const FORMATS: Readonly<Record<Format, FormatInfo>> = {
  jsonl: {
    label: 'JSON Lines',
    hints: {
      conversations: 'One conversation per line, with its transcript',
      deliveries: 'One delivery per line, with the body and every attempt',
    },
    extension: 'jsonl',
  },
  csv: {
    label: 'CSV',
    hints: {
      conversations: 'One conversation per row, for spreadsheets; without transcripts',
      deliveries: 'One delivery per row, for spreadsheets; without bodies',
    },
    extension: 'csv',
  },
  vcon: {
    label: 'vCon',
    hints: { conversations: 'One vCon per line: parties, dialog, recording, analysis' },
    extension: 'vcon.jsonl',
  },
};

/** 812 B, 3.4 MB. */
export function formatSize(bytes: number): string {
  const steps = ['B', 'kB', 'MB', 'GB'];
  let at = 0;
  let amount = bytes;
  for (; amount >= 1000 && at < steps.length - 1; at += 1) amount /= 1000;
  return `${at === 0 ? amount : amount.toFixed(1)} ${steps[at]}`;
}
