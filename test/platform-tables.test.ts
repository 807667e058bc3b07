// The platform's tables are the same text in all three schemas: the shared libraries read them with
// plain SQL.
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const MARK = '// ---- Platform tables';

function platformPart(service: string): string {
  const text = readFileSync(new URL(`../prisma/${service}/schema.prisma`, import.meta.url), 'utf8');
  const at = text.indexOf(MARK);
  if (at === -1) throw new Error(`prisma/${service}/schema.prisma has no line "${MARK} …"`);
  return text.slice(at);
}

test.each(['voice-api', 'notifications'])(
  '%s has the platform tables of flow-builder, to the letter',
  (service) => {
    expect(platformPart(service)).toBe(platformPart('flow-builder'));
  },
);
