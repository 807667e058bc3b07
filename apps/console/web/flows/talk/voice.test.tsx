// Voice input and output, with fakes of the browser's speech API.
import { afterEach, expect, jest, test } from '@jest/globals';
import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Listen, useAloud } from './voice.tsx';

type RecognitionEvent = { results: { transcript: string }[][] };
class StandIn {
  static last: StandIn;
  lang = '';
  onresult: ((event: RecognitionEvent) => void) | null = null;
  onerror: ((event: { error: string }) => void) | null = null;
  onend: (() => void) | null = null;
  start = jest.fn();
  abort = jest.fn(() => this.onend?.());
  constructor() {
    StandIn.last = this;
  }
}
const here = globalThis as Record<string, unknown>;
afterEach(() => {
  for (const name of ['webkitSpeechRecognition', 'speechSynthesis', 'SpeechSynthesisUtterance'])
    delete here[name];
});

test('listens in the language of the flow; a second click stops', async () => {
  here['webkitSpeechRecognition'] = StandIn;
  const onHeard = jest.fn();
  render(<Listen language="de-DE" disabled={false} onHeard={onHeard} />);
  const button = screen.getByRole('button', { name: 'Speak' });
  await userEvent.click(button);
  expect([StandIn.last.lang, button.getAttribute('aria-pressed')]).toEqual(['de-DE', 'true']);
  act(() => StandIn.last.onresult!({ results: [[{ transcript: ' einen Tisch ' }]] }));
  expect(onHeard).toHaveBeenCalledWith('einen Tisch');
  await userEvent.click(button);
  expect(StandIn.last.abort).toHaveBeenCalled();
  expect(button.getAttribute('aria-pressed')).toBe('false');
});

test('shows why listening failed; silence is no failure', async () => {
  here['webkitSpeechRecognition'] = StandIn;
  render(<Listen language={undefined} disabled={false} onHeard={jest.fn()} />);
  await userEvent.click(screen.getByRole('button', { name: 'Speak' }));
  act(() => StandIn.last.onerror!({ error: 'no-speech' }));
  expect(screen.queryByRole('alert')).toBeNull();
  act(() => StandIn.last.onerror!({ error: 'not-allowed' }));
  expect(screen.getByRole('alert').textContent).toContain('microphone');
});

test('shows no button without speech recognition', () => {
  render(<Listen language="en" disabled={false} onHeard={jest.fn()} />);
  expect(screen.queryByRole('button')).toBeNull();
});

test('reads a message once, and the next one interrupts it', () => {
  const speak = jest.fn();
  const cancel = jest.fn();
  here['speechSynthesis'] = { speak, cancel };
  here['SpeechSynthesisUtterance'] = class {
    lang = '';
    readonly text: string;
    constructor(text: string) {
      this.text = text;
    }
  };
  const Bot = ({ text, on = true }: { text: string; on?: boolean }) => {
    useAloud(text, 'en', on);
    return null;
  };
  const { rerender } = render(<Bot text="Hello." on={false} />);
  expect(speak).not.toHaveBeenCalled();
  rerender(<Bot text="Hello." />);
  rerender(<Bot text="Hello." />);
  expect(speak.mock.calls).toEqual([[{ text: 'Hello.', lang: 'en' }]]);
  rerender(<Bot text="For when?" />);
  expect([cancel.mock.calls.length, speak.mock.calls.length]).toEqual([1, 2]);
});
