// A log to look into: `pino(options, capturedLog())`.

/** One line as pino writes it: JSON with `level`, `time`, `msg` and the fields of the call. */
export type LogLine = Record<string, unknown>;

export type CapturedLog = {
  /** What pino (or any writer of JSON lines) calls. */
  write(text: string): void;
  /** Every line so far, parsed, oldest first. */
  lines(): LogLine[];
  /** The lines whose `event` is this one: `with('request.served')`. */
  with(event: string): LogLine[];
  /** Everything as written: for the search of a secret that must not be there. */
  text(): string;
};

/** More than any test logs; a runaway loop ends in an error instead of eating the memory. */
const TEXT_CHARS_MAX = 50_000_000;

/** Keeps what is written to it, in memory. */
export function capturedLog(): CapturedLog {
  const parts: string[] = [];
  let chars = 0;
  const text = (): string => parts.join('');
  const lines = (): LogLine[] =>
    text()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as LogLine);
  return {
    write: (part) => {
      chars += part.length;
      if (chars > TEXT_CHARS_MAX) throw new Error(`The captured log grew past ${TEXT_CHARS_MAX} characters.`);
      parts.push(part);
    },
    lines,
    with: (event) => lines().filter((line) => line['event'] === event),
    text,
  };
}
