// Where this service finds the data of the languages that nobody tuned.
import { join } from 'node:path';
import { provideLanguagesFrom } from '@parley/answers/node';
import { shippedPath } from '@parley/server/runtime';

export function provideLanguages(): void {
  provideLanguagesFrom(
    shippedPath('languages', () => join(import.meta.dirname, '../../../libs/answers/generated')),
  );
}
