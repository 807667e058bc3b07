'use client';
// The preferences of the user: everything, each channel, and each category by channel.
import type { ReactNode } from 'react';
import { usePreferences, type PreferenceChanges, type Preferences } from '../headless.tsx';
import { describeError } from './localization.ts';
import { Note } from './note.tsx';
import { useSetting } from './provider.tsx';

type Channel = keyof Preferences['channels'];

export function InboxPreferences() {
  const { words } = useSetting();
  const { preferences, error, isBusy, change, reload } = usePreferences();
  return (
    <div className="parley-inbox parley-inbox-preferences" aria-busy={isBusy}>
      {error !== null && (
        <Note role="alert">
          {describeError(error, words)}{' '}
          <button type="button" className="parley-inbox-button" onClick={() => void reload()}>
            {words.tryAgain}
          </button>
        </Note>
      )}
      {preferences === null
        ? error === null && <Note role="status">{words.loading}</Note>
        : choices(preferences, (changes) => void change(changes))}
    </div>
  );
}

function choices(
  { all, channels, categories }: Preferences,
  change: (changes: PreferenceChanges) => void,
): ReactNode {
  return (
    <>
      <Choice name="everything" isOn={all} choose={(on) => change({ all: on })} />
      <Channels
        switches={channels}
        isDisabled={() => !all}
        choose={(name, on) => change({ channels: { [name]: on } })}
      />
      {categories.map(({ id, name, description, required, channels: switches }) => (
        <fieldset key={id} className="parley-inbox-category">
          <legend dir="auto">{name}</legend>
          {description !== null && <p dir="auto">{description}</p>}
          <Channels
            switches={switches}
            isDisabled={(channel) => required || !all || channels[channel] === false}
            choose={(channel, on) => change({ categories: { [id]: { [channel]: on } } })}
          />
        </fieldset>
      ))}
    </>
  );
}

interface ChannelsProps {
  readonly switches: Preferences['channels'];
  readonly isDisabled: (name: Channel) => boolean;
  readonly choose: (name: Channel, on: boolean) => void;
}

function Channels({ switches, isDisabled, choose }: ChannelsProps) {
  return (
    <div className="parley-inbox-actions">
      {(Object.keys(switches) as Channel[]).map((name) => (
        <Choice
          key={name}
          name={name}
          isOn={switches[name] ?? false}
          isDisabled={isDisabled(name)}
          choose={(on) => choose(name, on)}
        />
      ))}
    </div>
  );
}

interface ChoiceProps {
  readonly name: Channel | 'everything';
  readonly isOn: boolean;
  readonly isDisabled?: boolean;
  readonly choose: (on: boolean) => void;
}

function Choice({ name, isOn, isDisabled = false, choose }: ChoiceProps) {
  const { words } = useSetting();
  return (
    <label>
      <input
        type="checkbox"
        checked={isOn}
        disabled={isDisabled}
        onChange={(event) => choose(event.target.checked)}
      />{' '}
      {words[name]}
    </label>
  );
}
