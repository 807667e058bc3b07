// Renders texts of the engine, in which backticks mark code.

export function Words({ text }: { readonly text: string }) {
  return text.split('`').map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      <code key={at} className="font-mono text-[0.92em]">
        {part}
      </code>
    ),
  );
}

/** For places that accept only plain text. */
export const plainWords = (text: string): string => text.replaceAll('`', '');
