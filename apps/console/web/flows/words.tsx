// Renders texts of the engine, in which backticks mark code, and conditions, in which they mark
// values.

interface WordsProps {
  readonly text: string;
  readonly as?: 'code' | 'em';
}

export function Words({ text, as: Mark = 'code' }: WordsProps) {
  return text.split('`').map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      <Mark key={at} className={Mark === 'code' ? 'font-mono text-[0.92em]' : 'font-medium italic'}>
        {part}
      </Mark>
    ),
  );
}

/** For places that accept only plain text. */
export const plainWords = (text: string): string => text.replaceAll('`', '');
