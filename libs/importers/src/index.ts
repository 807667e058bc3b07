// Flows that were written elsewhere (docs/importers.md).
import { isDialogflowCx, readDialogflowCx } from './formats/dialogflow-cx.ts';
import { isDograh, readDograh } from './formats/dograh.ts';
import { Draft, TooLarge, type ReportEntry } from './draft.ts';
import { isPipecat, readPipecat } from './formats/pipecat.ts';
import { readRasa } from './formats/rasa.ts';
import { isRasa } from './formats/rasa-domain.ts';
import { isRetell, readRetell } from './formats/retell.ts';
import { isMembers, type Members } from './source.ts';
import { isTypebot, readTypebot } from './formats/typebot.ts';
import { isVapi, readVapi } from './formats/vapi.ts';

export type { Outcome, ReportEntry } from './draft.ts';
export { readText } from './files.ts';

interface Format {
  readonly title: string;
  readonly is: (source: Members) => boolean;
  readonly read: (source: Members, draft: Draft) => void;
}

/** Tried in this order when nobody says what a document is. */
export const formats = {
  dograh: { title: 'Dograh workflow', is: isDograh, read: readDograh },
  retell: { title: 'Retell conversation flow or agent of states', is: isRetell, read: readRetell },
  typebot: { title: 'Typebot', is: isTypebot, read: readTypebot },
  pipecat: { title: 'Pipecat flow', is: isPipecat, read: readPipecat },
  vapi: { title: 'Vapi workflow, squad or assistant', is: isVapi, read: readVapi },
  'dialogflow-cx': { title: 'Dialogflow CX agent (folder)', is: isDialogflowCx, read: readDialogflowCx },
  rasa: { title: 'Rasa flows (folder, or one file)', is: isRasa, read: readRasa },
} as const satisfies Readonly<Record<string, Format>>;

export type FormatName = keyof typeof formats;
export const formatNames = Object.keys(formats) as readonly FormatName[];

export type Imported =
  | {
      readonly ok: true;
      readonly format: FormatName;
      /** As PUT /v1/flows/{flow_id} takes it. */
      readonly definition: Members;
      readonly report: readonly ReportEntry[];
    }
  | { readonly ok: false; readonly reason: string };

/**
 * The flow that a document of another product describes, and what became of each node of it.
 * @param source the document, or `{files: {<path>: <text or object>}}` of a folder
 * @param format what it is; without, the first format that knows it
 */
export function importFlow(source: unknown, format?: FormatName): Imported {
  if (!isMembers(source)) return refused('the document is no object');
  const name = format ?? formatNames.find((one) => formats[one].is(source));
  if (name === undefined) return refused('no format is recognised');
  if (!formats[name].is(source)) return refused(`it is no ${name}`);
  const draft = new Draft();
  try {
    formats[name].read(source, draft);
    return { ok: true, format: name, ...draft.finish() };
  } catch (error) {
    if (error instanceof TooLarge) return refused(error.message);
    throw error;
  }
}

const refused = (reason: string): Imported => ({ ok: false, reason });
