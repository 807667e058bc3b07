// Sentences of the engine's tables: what stands in backticks is code.

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

/** Where only a text can stand. */
export const plainWords = (text: string): string => text.replaceAll('`', '');
