// An agent in words: its settings as rows, and what changed between two versions. Pure.
import { formatDuration } from '../ui/time.tsx';
import type { Agent } from './api.ts';

const languages = new Intl.DisplayNames(['en'], { type: 'language' });

/** "German". A tag that no table knows is shown as it is. */
export function nameLanguage(tag: string): string {
  try {
    return languages.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** "German (de)". */
export function describeLanguage(tag: string): string {
  const name = nameLanguage(tag);
  return name === tag ? tag : `${name} (${tag})`;
}

const join = (...parts: readonly (string | number | null | false)[]): string =>
  parts.filter((part) => part !== null && part !== false && part !== '').join(', ');

export const describeVoice = ({ voice }: Agent): string =>
  join(voice.provider, voice.voice_id, voice.speed !== 1 && `speed ${voice.speed}`);

export const describeModel = ({ model }: Agent): string =>
  join(model.provider, model.name, model.temperature !== null && `temperature ${model.temperature}`);

export const describeTranscriber = ({ transcriber }: Agent): string =>
  join(transcriber.provider, transcriber.model);

export const RECORDING: Readonly<Record<Agent['recording'], string>> = {
  full: 'Everything',
  path: 'Only the path through the flow',
  off: 'Nothing',
};

const yesNo = (value: boolean): string => (value ? 'yes' : 'no');
const seconds = (value: number | null): string => (value === null ? '' : formatDuration(value * 1000));

/** Every setting of a version. An empty text: not set. */
const SETTINGS: readonly (readonly [label: string, read: (agent: Agent) => string])[] = [
  ['Name', ({ name }) => name],
  ['Description', ({ description }) => description ?? ''],
  ['Status', ({ status }) => status],
  ['Flow', ({ flow_id }) => flow_id ?? ''],
  ['Flow version', ({ flow_version }) => (flow_version === null ? 'the published one' : `v${flow_version}`)],
  ['Language', ({ language }) => describeLanguage(language)],
  ['Voice', describeVoice],
  ['Model', describeModel],
  ['Transcriber', describeTranscriber],
  ['First message', ({ first_message }) => first_message ?? ''],
  ['System prompt', ({ system_prompt }) => system_prompt ?? ''],
  ['Longest conversation', ({ max_duration_seconds }) => seconds(max_duration_seconds)],
  ['Silence timeout', ({ silence_timeout_seconds }) => seconds(silence_timeout_seconds)],
  ['Callers may interrupt', ({ interruptible }) => yesNo(interruptible)],
  ['Recorded turns', ({ recording }) => RECORDING[recording]],
  ['Tags', ({ tags }) => tags.join(', ')],
  [
    'Metadata',
    ({ metadata }) =>
      Object.entries(metadata)
        .map(([name, value]) => `${name}: ${value}`)
        .join('\n'),
  ],
];

export interface SettingChange {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

export function diffAgents(before: Agent, after: Agent): SettingChange[] {
  return SETTINGS.map(([label, read]) => ({ label, before: read(before), after: read(after) })).filter(
    (change) => change.before !== change.after,
  );
}
