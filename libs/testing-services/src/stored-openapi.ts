// The `openapi.json` of a service in the repository, from which clients are generated
// (docs/console.md#types-of-the-services).
import { generatedFile } from '@parley/testing';

/**
 * The description of the running service, and the file next to its package.json. With
 * UPDATE_DOCS=true the file is written first.
 */
export async function storedOpenApi(
  baseUrl: string,
  file: URL,
): Promise<{ actual: string; expected: string }> {
  const response = await fetch(`${baseUrl}/openapi.json`);
  const expected = `${JSON.stringify(await response.json(), null, 1)}\n`;
  return { actual: generatedFile(file, expected), expected };
}
