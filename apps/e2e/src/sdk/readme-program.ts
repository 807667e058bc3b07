// The snippets of a README as one program, with what it should print: what stands behind each console.log.

export interface ReadmeProgram {
  readonly source: string;
  /** A line each, in order. */
  readonly prints: readonly string[];
}

export function readmeProgram(markdown: string): ReadmeProgram {
  const [first = '', ...others] = [...markdown.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code!);
  const isImport = (line: string) => line.startsWith('import ');
  const lines = (code: string) => code.split('\n');
  // Each in a block of its own, where its names are free again; what the first one makes is there for all.
  const blocks = others.map(
    (code) =>
      `{\n${lines(code)
        .filter((line) => !isImport(line))
        .join('\n')}}\n`,
  );
  const imports = [...new Set(others.flatMap(lines).filter(isImport))];
  const source = [...imports, first, ...blocks].join('\n');
  const prints = [...source.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text!);
  return { source, prints };
}

/** The same of Python, where a module is one block. */
export function pythonProgram(markdown: string): ReadmeProgram {
  const source = [...markdown.matchAll(/^```python\n(.*?)^```$/gms)].map(([, code]) => code!).join('\n');
  return { source, prints: [...source.matchAll(/print\(.*\) {2}# (.*)$/gm)].map(([, text]) => text!) };
}
