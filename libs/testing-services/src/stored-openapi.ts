// The `openapi.json` of a service in the repository, from which clients are generated
// (docs/console.md#types-of-the-services).
import { generatedFile } from '@parley/testing';
import { format } from 'prettier';

/**
 * The description of the running service, and the file next to its package.json. With
 * UPDATE_DOCS=true the file is written first.
 */
export async function storedOpenApi(
  baseUrl: string,
  file: URL,
): Promise<{ actual: string; expected: string }> {
  const response = await fetch(`${baseUrl}/openapi.json`);
  if (!response.ok) throw new Error(await response.text());
  const expected = await format(await response.text(), { parser: 'json', printWidth: 110 });
  return { actual: generatedFile(file, expected), expected };
}
