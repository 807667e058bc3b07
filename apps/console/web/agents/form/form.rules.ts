// The form of an agent, and the requests that it makes. Pure.
import type { Agent, AgentUpdate, NewAgent } from '../api.ts';

/** Numbers and lists are texts while they are typed. An empty text is not set. */
export interface AgentForm {
  readonly name: string;
  readonly description: string;
  readonly flowId: string | null;
  /** Empty: the published version. */
  readonly flowVersion: string;
  readonly language: string;
  readonly voiceProvider: string;
  readonly voiceId: string;
  readonly voiceSpeed: string;
  readonly modelProvider: string;
  readonly modelName: string;
  readonly modelTemperature: string;
  readonly transcriberProvider: string;
  readonly transcriberModel: string;
  readonly firstMessage: string;
  readonly systemPrompt: string;
  readonly maxMinutes: string;
  readonly silenceSeconds: string;
  readonly isInterruptible: boolean;
  readonly recording: Agent['recording'];
  /** One per line. */
  readonly tags: string;
  /** One `name: value` per line. */
  readonly metadata: string;
}

const DEFAULT_SECONDS_MAX = 1800;

export const EMPTY_FORM: AgentForm = {
  name: '',
  description: '',
  flowId: null,
  flowVersion: '',
  language: 'en',
  voiceProvider: '',
  voiceId: '',
  voiceSpeed: '1',
  modelProvider: '',
  modelName: '',
  modelTemperature: '',
  transcriberProvider: '',
  transcriberModel: '',
  firstMessage: '',
  systemPrompt: '',
  maxMinutes: String(DEFAULT_SECONDS_MAX / 60),
  silenceSeconds: '',
  isInterruptible: true,
  recording: 'full',
  tags: '',
  metadata: '',
};

const toText = (value: number | null): string => (value === null ? '' : String(value));

export const toForm = (agent: Agent): AgentForm => ({
  name: agent.name,
  description: agent.description ?? '',
  flowId: agent.flow_id,
  flowVersion: toText(agent.flow_version),
  language: agent.language,
  voiceProvider: agent.voice.provider ?? '',
  voiceId: agent.voice.voice_id ?? '',
  voiceSpeed: toText(agent.voice.speed),
  modelProvider: agent.model.provider ?? '',
  modelName: agent.model.name ?? '',
  modelTemperature: toText(agent.model.temperature),
  transcriberProvider: agent.transcriber.provider ?? '',
  transcriberModel: agent.transcriber.model ?? '',
  firstMessage: agent.first_message ?? '',
  systemPrompt: agent.system_prompt ?? '',
  maxMinutes: toText(agent.max_duration_seconds / 60),
  silenceSeconds: toText(agent.silence_timeout_seconds),
  isInterruptible: agent.interruptible,
  recording: agent.recording,
  tags: agent.tags.join('\n'),
  metadata: Object.entries(agent.metadata)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n'),
});

const orNull = (text: string): string | null => text.trim() || null;
const numberOrNull = (text: string): number | null => (text.trim() === '' ? null : Number(text));

const toLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Null when a line is no `name: value`. */
export function parseMetadata(text: string): Record<string, string> | null {
  const pairs = toLines(text).map((line) => /^([^:]+?)\s*:\s*(.*)$/.exec(line));
  if (pairs.some((pair) => pair === null)) return null;
  return Object.fromEntries(pairs.map((pair) => [pair![1]!, pair![2]!]));
}

/** Every member, as the API has them. */
function toMembers(form: AgentForm): Required<Omit<NewAgent, 'status'>> {
  return {
    name: form.name.trim(),
    description: orNull(form.description),
    flow_id: form.flowId,
    flow_version: form.flowId === null ? null : numberOrNull(form.flowVersion),
    language: form.language,
    voice: {
      provider: orNull(form.voiceProvider),
      voice_id: orNull(form.voiceId),
      speed: numberOrNull(form.voiceSpeed) ?? 1,
    },
    model: {
      provider: orNull(form.modelProvider),
      name: orNull(form.modelName),
      temperature: numberOrNull(form.modelTemperature),
    },
    transcriber: { provider: orNull(form.transcriberProvider), model: orNull(form.transcriberModel) },
    first_message: orNull(form.firstMessage),
    system_prompt: orNull(form.systemPrompt),
    max_duration_seconds: Math.round((numberOrNull(form.maxMinutes) ?? DEFAULT_SECONDS_MAX / 60) * 60),
    silence_timeout_seconds: numberOrNull(form.silenceSeconds),
    interruptible: form.isInterruptible,
    recording: form.recording,
    tags: [...new Set(toLines(form.tags))],
    metadata: parseMetadata(form.metadata) ?? {},
  };
}

/** Only what differs from a form that nobody touched: the API has its own defaults. */
export const toNewAgent = (form: AgentForm): NewAgent => ({
  ...changedMembers(form, EMPTY_FORM),
  name: form.name.trim(),
  language: form.language,
});

export const toUpdate = (form: AgentForm, before: AgentForm): AgentUpdate => changedMembers(form, before);

function changedMembers(form: AgentForm, before: AgentForm): AgentUpdate {
  const [now, then] = [toMembers(form), toMembers(before)];
  return Object.fromEntries(
    Object.entries(now).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(then[name as keyof typeof then]),
    ),
  );
}

/** All settings of an earlier version but its status, so that restoring starts nobody's calls. */
export function toRestored(version: Agent): AgentUpdate {
  const {
    id: _id,
    version: _version,
    status: _status,
    created_at: _c,
    updated_at: _u,
    ...settings
  } = version;
  return settings;
}
