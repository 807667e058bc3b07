// The fields of an agent, in groups.
import { Checkbox, Select, TextArea, TextField } from '../../ui/field.tsx';
import { Picker } from '../../ui/picker.tsx';
import { RECORDING } from '../describe.rules.ts';
import { parseMetadata, type AgentForm } from './form.rules.ts';
import { findLanguage, LANGUAGES } from './languages.ts';

export interface FieldsProps {
  readonly form: AgentForm;
  readonly set: (change: Partial<AgentForm>) => void;
}

/** The members of a form that are typed as texts. */
type TextMember = Exclude<keyof AgentForm, 'flowId' | 'isInterruptible' | 'recording'>;

const bind = ({ form, set }: FieldsProps, member: TextMember) => ({
  value: form[member],
  onChange: ({ target }: { readonly target: { readonly value: string } }) => set({ [member]: target.value }),
});

export function BasicFields(props: FieldsProps) {
  return (
    <>
      <TextField label="Name" name="name" required maxLength={255} {...bind(props, 'name')} />
      <TextField
        label="Description"
        name="description"
        hint="For your colleagues. Callers never hear it"
        maxLength={2000}
        {...bind(props, 'description')}
      />
    </>
  );
}

export function LanguageField({ form, set }: FieldsProps) {
  return (
    <Picker
      label="Language"
      placeholder="Search languages"
      nothing="No language has this name."
      choices={LANGUAGES}
      value={findLanguage(form.language)}
      onChange={(choice) => choice && set({ language: choice.id })}
    />
  );
}

export function VoiceFields(props: FieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <TextField
        label="Voice provider"
        name="voice/provider"
        maxLength={255}
        {...bind(props, 'voiceProvider')}
      />
      <TextField label="Voice" name="voice/voice_id" maxLength={255} {...bind(props, 'voiceId')} />
      <TextField
        label="Speed"
        name="voice/speed"
        hint="0.25 to 4; 1 is normal"
        type="number"
        min={0.25}
        max={4}
        step={0.05}
        {...bind(props, 'voiceSpeed')}
      />
    </div>
  );
}

export function ModelFields(props: FieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <TextField
        label="Model provider"
        name="model/provider"
        maxLength={255}
        {...bind(props, 'modelProvider')}
      />
      <TextField label="Model" name="model/name" maxLength={255} {...bind(props, 'modelName')} />
      <TextField
        label="Temperature"
        name="model/temperature"
        hint="0 to 2. Empty: the provider’s default"
        type="number"
        min={0}
        max={2}
        step={0.1}
        {...bind(props, 'modelTemperature')}
      />
      <TextField
        label="Transcriber provider"
        name="transcriber/provider"
        maxLength={255}
        {...bind(props, 'transcriberProvider')}
      />
      <TextField
        label="Transcriber model"
        name="transcriber/model"
        maxLength={255}
        {...bind(props, 'transcriberModel')}
      />
    </div>
  );
}

export function PromptFields(props: FieldsProps) {
  return (
    <>
      <TextArea
        label="First message"
        name="first_message"
        hint="For agents without a flow: a flow speaks first by itself"
        maxLength={10_000}
        dir="auto"
        {...bind(props, 'firstMessage')}
      />
      <TextArea
        label="System prompt"
        name="system_prompt"
        hint="For agents whose runtime asks a model directly. Flows do not read it"
        maxLength={100_000}
        dir="auto"
        rows={5}
        {...bind(props, 'systemPrompt')}
      />
    </>
  );
}

export function CallFields(props: FieldsProps) {
  const { form, set } = props;
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Longest conversation in minutes"
          name="max_duration_seconds"
          type="number"
          min={1}
          max={1440}
          step="any"
          required
          {...bind(props, 'maxMinutes')}
        />
        <TextField
          label="Silence timeout in seconds"
          name="silence_timeout_seconds"
          hint="1 to 3,600. Empty: the runtime’s default"
          type="number"
          min={1}
          max={3600}
          {...bind(props, 'silenceSeconds')}
        />
      </div>
      <Checkbox
        label="Callers may interrupt"
        checked={form.isInterruptible}
        onChange={({ target }) => set({ isInterruptible: target.checked })}
      />
      <Select
        label="Recorded turns"
        name="recording"
        hint="What Why did the bot say that can show later"
        value={form.recording}
        onChange={({ target }) => set({ recording: target.value as AgentForm['recording'] })}
      >
        {Object.entries(RECORDING).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
    </>
  );
}

export function LabelFields(props: FieldsProps) {
  const isValid = parseMetadata(props.form.metadata) !== null;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextArea label="Tags" name="tags" hint="One per line, at most 20" {...bind(props, 'tags')} />
      <TextArea
        label="Metadata"
        name="metadata"
        hint="One name: value per line, at most 50"
        error={isValid ? undefined : 'Write each line as name: value, for example team: sales.'}
        {...bind(props, 'metadata')}
      />
    </div>
  );
}
