// A log for assertions: `pino(options, capturedLog())`.

/** One line of pino: JSON with `level`, `time`, `msg` and the fields of the call. */
export type LogLine = Record<string, unknown>;

export type CapturedLog = {
  /** Called by pino (or any writer of JSON lines). */
  write(text: string): void;
  /** Every line so far, parsed, oldest first. */
  lines(): LogLine[];
  /** The lines with this `event`: `with('request.served')`. */
  with(event: string): LogLine[];
  /** The raw text, to search for secrets that must not be there. */
  text(): string;
};

/** More than any test logs: a runaway loop ends in an error instead of exhausting the memory. */
const TEXT_CHARS_MAX = 50_000_000;

/** Stores in memory what is written to it. */
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
