// Turns the snippets of a README into one program, with the expected output: the comment behind
// each console.log.

export interface ReadmeProgram {
  readonly source: string;
  /** Lines in order. */
  readonly prints: readonly string[];
}

export function buildReadmeProgram(markdown: string): ReadmeProgram {
  const [first = '', ...others] = [...markdown.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code!);
  const isImport = (line: string) => line.startsWith('import ');
  const lines = (code: string) => code.split('\n');
  // Each snippet gets a block, so that names are free again. What the first one creates is visible
  // to all.
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

/** For Python, where the module is one block. */
export function buildPythonProgram(markdown: string): ReadmeProgram {
  const source = [...markdown.matchAll(/^```python\n(.*?)^```$/gms)].map(([, code]) => code!).join('\n');
  return { source, prints: [...source.matchAll(/print\(.*\) {2}# (.*)$/gm)].map(([, text]) => text!) };
}
