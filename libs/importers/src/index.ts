// Imports flows of other products (docs/importers.md).
import { isDialogflowCx, readDialogflowCx } from './formats/dialogflow-cx.ts';
import { isDograh, readDograh } from './formats/dograh.ts';
import { Draft, TooLarge } from './draft.ts';
import { isPipecat, readPipecat } from './formats/pipecat.ts';
import { readRasa } from './formats/rasa.ts';
import { isRasa } from './formats/rasa-domain.ts';
import { isRetell, readRetell } from './formats/retell.ts';
import { listParts } from './files.ts';
import { LossSearch, type Accounts } from './losses.ts';
import { isMembers, type Members } from './source.ts';
import { isTypebot, readTypebot } from './formats/typebot.ts';
import { isVapi, readVapi } from './formats/vapi.ts';
import { vocabularies } from './vocabulary.ts';

export type { Outcome, ReportEntry } from './draft.ts';
export { LOSSES_MAX, type Loss, type TextCounts } from './losses.ts';
export { readText } from './files.ts';

interface Format {
  readonly title: string;
  readonly is: (source: Members) => boolean;
  readonly read: (source: Members, draft: Draft) => void;
}

/** Tried in this order when the format is not given. */
export const formats = {
  dograh: { title: 'Dograh workflow', is: isDograh, read: readDograh },
  retell: { title: 'Retell conversation flow or agent of states', is: isRetell, read: readRetell },
  typebot: { title: 'Typebot', is: isTypebot, read: readTypebot },
  pipecat: { title: 'Pipecat flow (the JSON of versions before 1.0)', is: isPipecat, read: readPipecat },
  vapi: { title: 'Vapi workflow, squad or assistant', is: isVapi, read: readVapi },
  'dialogflow-cx': { title: 'Dialogflow CX agent (folder)', is: isDialogflowCx, read: readDialogflowCx },
  rasa: { title: 'Rasa flows (folder, or one file)', is: isRasa, read: readRasa },
} as const satisfies Readonly<Record<string, Format>>;

export type FormatName = keyof typeof formats;
export const formatNames = Object.keys(formats) as readonly FormatName[];

export type ImportResult =
  | (Accounts & {
      readonly ok: true;
      readonly format: FormatName;
      /** The body of PUT /v1/flows/{flow_id}. */
      readonly definition: Members;
    })
  | { readonly ok: false; readonly reason: string };

/**
 * Converts a document of another product to a flow, with a report on each node and on
 * each text that was not kept.
 * @param source the document, or `{files: {<path>: <text or object>}}` for a folder
 * @param format default: the first format that recognises the document
 */
export function importFlow(source: unknown, format?: FormatName): ImportResult {
  if (!isMembers(source)) return refuse('the document is no object');
  const name = format ?? formatNames.find((one) => formats[one].is(source));
  if (name === undefined) return refuse(`no format is recognised; known formats: ${knownFormats}`);
  if (!formats[name].is(source)) return refuse(`it is no ${formats[name].title}`);
  const draft = new Draft();
  try {
    formats[name].read(source, draft);
    const { definition, report } = draft.finish();
    const search = new LossSearch(vocabularies[name], definition, report);
    return { ok: true, format: name, definition, ...search.run(listParts(source)) };
  } catch (error) {
    if (error instanceof TooLarge) return refuse(error.message);
    throw error;
  }
}

const knownFormats = formatNames.map((name) => `${name} (${formats[name].title})`).join(', ');
const refuse = (reason: string): ImportResult => ({ ok: false, reason });
