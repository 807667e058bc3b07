// The snippets of docs/openai.md, by section and language.
import { readFileSync } from 'node:fs';

export interface Snippet {
  readonly section: string;
  readonly language: string;
  readonly code: string;
}

const page = readFileSync(new URL('../../../../docs/openai.md', import.meta.url), 'utf8');

export const snippets: readonly Snippet[] = page.split(/^##? /m).flatMap((text) =>
  [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, code]) => ({
    section: text.slice(0, text.indexOf('\n')),
    language: language!,
    code: code!,
  })),
);

/** The only snippet of a section. */
export function findSnippet(section: string): string {
  const found = snippets.filter((snippet) => snippet.section === section);
  if (found.length !== 1) throw new Error(`"${section}" has ${found.length} snippets, not one`);
  return found[0]!.code;
}

/** The address that the page names in place of the flow builder. */
export const PAGE_ORIGIN = 'https://flows.example.com';

/** Calls a table of the page: a flow that waits for one answer. */
export const pageFlows = {
  hello: { nodes: [{ id: 'bye', type: 'end', message: 'Hello.' }], edges: [] },
  booking: {
    nodes: [
      { id: 'ask', type: 'collect', prompt: 'For how many?', variable: 'people', cast: 'integer' },
      { id: 'done', type: 'end', message: 'A table for {{ people }}.' },
    ],
    edges: [{ source: 'ask', target: 'done' }],
  },
};
