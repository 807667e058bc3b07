// The formats of an export, as people know them; the compiler holds them against the API's description.
import type { Export, Format } from './api.ts';

interface Shown {
  readonly label: string;
  /** Absent: there is none of these. */
  readonly words: Partial<Readonly<Record<Export['of'], string>>>;
  readonly extension: string;
}

export const FORMATS: Readonly<Record<Format, Shown>> = {
  jsonl: {
    label: 'JSON lines',
    words: {
      conversations: 'A conversation a line, with its transcript',
      deliveries: 'A delivery a line, with what was sent and every attempt',
    },
    extension: 'jsonl',
  },
  csv: {
    label: 'CSV',
    words: {
      conversations: 'Members of conversations, for a spreadsheet; no transcripts',
      deliveries: 'Members of deliveries, for a spreadsheet; nothing that was sent',
    },
    extension: 'csv',
  },
  vcon: {
    label: 'vCon',
    words: { conversations: 'A vCon a line: parties, dialog, recording, analysis' },
    extension: 'vcon.jsonl',
  },
};

/** 812 B, 3.4 MB. */
export function size(bytes: number): string {
  const steps = ['B', 'kB', 'MB', 'GB'];
  let at = 0;
  let amount = bytes;
  for (; amount >= 1000 && at < steps.length - 1; at += 1) amount /= 1000;
  return `${at === 0 ? amount : amount.toFixed(1)} ${steps[at]}`;
}
