// Voice for “Try it”, with the speech API of the browser (docs/console.md#flows).
import { useEffect, useRef, useState } from 'react';
import { buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';

/** The used part of the Web Speech API, which TypeScript does not declare. */
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

/** Looked up at each call because tests replace it. */
function recognizerHere(): Recognizer | undefined {
  const here = globalThis as { SpeechRecognition?: Recognizer; webkitSpeechRecognition?: Recognizer };
  return here.SpeechRecognition ?? here.webkitSpeechRecognition;
}

export const speaks = (): boolean => 'speechSynthesis' in globalThis;
export const listens = (): boolean => recognizerHere() !== undefined;

/** Reads the text of a turn aloud, also one that repeats, and interrupts the previous one. */
export function useAloud(text: string, language: string | undefined, on: boolean, turn = 0): void {
  useEffect(() => {
    if (!on || text === '') return;
    const said = new SpeechSynthesisUtterance(text);
    if (language !== undefined) said.lang = language;
    speechSynthesis.speak(said);
    return () => speechSynthesis.cancel();
  }, [text, language, on, turn]);
}

const PROBLEMS: Readonly<Record<string, string>> = {
  'not-allowed': 'The browser blocks the microphone. Allow it in the site settings.',
  'service-not-allowed': 'The browser blocks the microphone. Allow it in the site settings.',
  'audio-capture': 'No microphone found. Connect one and try again.',
  network: 'The browser cannot reach its speech service. Check your connection.',
};
/** Codes that are no failure. */
const QUIET = ['no-speech', 'aborted'];

interface ListenProps {
  readonly language: string | undefined;
  readonly disabled: boolean;
  readonly onHeard: (text: string) => void;
}

/** Recognises one sentence per click. Renders nothing without browser support. */
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
      if (!QUIET.includes(error))
        setProblem(PROBLEMS[error] ?? `Speech recognition failed (${error}). Try again.`);
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
        title="Speak instead of typing. Some browsers use a service of their vendor"
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
