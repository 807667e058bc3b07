// `openapi.json` of a service, as it stands in the repository: clients are made from it (docs/console.md#types-of-the-services).
import { generatedFile } from '@parley/testkit';

/** What the running service says, and what is stored beside its package.json. With UPDATE_DOCS=true it is stored first. */
export async function storedOpenApi(
  baseUrl: string,
  file: URL,
): Promise<{ actual: string; expected: string }> {
  const response = await fetch(`${baseUrl}/openapi.json`);
  const expected = `${JSON.stringify(await response.json(), null, 1)}\n`;
  return { actual: generatedFile(file, expected), expected };
}
