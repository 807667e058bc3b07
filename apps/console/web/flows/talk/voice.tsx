// A conversation that is tried can be had by voice, where the browser has one (docs/console.md#flows): it says the bot's lines aloud, and writes down
// what it hears. Both are the browser's own.
import { useEffect, useRef, useState } from 'react';
import { buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';

/** Of the Web Speech API what is used here; not every browser has it, and TypeScript knows none. */
interface Recognition {
  lang: string;
  onresult:
    ((event: { readonly results: readonly (readonly { readonly transcript: string }[])[] }) => void) | null;
  onerror: ((event: { readonly error: string }) => void) | null;
  onend: (() => void) | null;
  start(): void;
  abort(): void;
}
type Recognizer = new () => Recognition;

/** Asked for at the call: a test puts its own in place. */
function recognizerHere(): Recognizer | undefined {
  const here = globalThis as { SpeechRecognition?: Recognizer; webkitSpeechRecognition?: Recognizer };
  return here.SpeechRecognition ?? here.webkitSpeechRecognition;
}

export const speaks = (): boolean => 'speechSynthesis' in globalThis;

/** Says the text, when it is another one; what is still being said ends. */
export function useAloud(text: string, language: string | undefined, on: boolean): void {
  useEffect(() => {
    if (!on || text === '') return;
    const said = new SpeechSynthesisUtterance(text);
    if (language !== undefined) said.lang = language;
    speechSynthesis.speak(said);
    return () => speechSynthesis.cancel();
  }, [text, language, on]);
}

const PROBLEMS: Readonly<Record<string, string>> = {
  'not-allowed': 'The browser may not use the microphone here.',
  'service-not-allowed': 'The browser may not use the microphone here.',
  'audio-capture': 'There is no microphone.',
  network: 'The browser cannot reach what it hears with.',
};
/** Nothing went wrong. */
const QUIET = ['no-speech', 'aborted'];

interface ListenProps {
  readonly language: string | undefined;
  readonly disabled: boolean;
  readonly onHeard: (text: string) => void;
}

/** Hears one sentence a press. Nothing where the browser cannot. */
export function Listen({ language, disabled, onHeard }: ListenProps) {
  const current = useRef<Recognition>(null);
  const [isHearing, setHearing] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => () => current.current?.abort(), []);
  const Recognizer = recognizerHere();
  if (Recognizer === undefined) return null;
  const listen = () => {
    const recognition = new Recognizer();
    if (language !== undefined) recognition.lang = language;
    recognition.onresult = ({ results }) => {
      const text = results[0]?.[0]?.transcript.trim() ?? '';
      if (text !== '') onHeard(text);
    };
    recognition.onerror = ({ error }) => {
      if (!QUIET.includes(error)) setProblem(PROBLEMS[error] ?? `The browser hears nothing: ${error}.`);
    };
    recognition.onend = () => setHearing(false);
    current.current = recognition;
    setProblem(null);
    setHearing(true);
    recognition.start();
  };
  return (
    <>
      <button
        type="button"
        aria-label="Speak"
        aria-pressed={isHearing}
        title="Say it: the browser writes it down, some of them with a service of their maker"
        disabled={disabled}
        className={buttonClass('plain', 'w-8 px-0! aria-pressed:border-accent aria-pressed:text-accent')}
        onClick={() => (isHearing ? current.current?.abort() : listen())}
      >
        <Icon name="microphone" />
      </button>
      {problem !== null && (
        <p role="alert" className="basis-full text-xs text-bad">
          {problem}
        </p>
      )}
    </>
  );
}
