// Locates the data of languages without tuned rules.
import { join } from 'node:path';
import { provideLanguagesFrom } from '@parley/answers/node';
import { shippedPath } from '@parley/server/runtime';

export function provideLanguages(): void {
  provideLanguagesFrom(
    shippedPath('languages', () => join(import.meta.dirname, '../../../libs/answers/generated')),
  );
}
