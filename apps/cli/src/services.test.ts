import { describe, expect, test } from '@jest/globals';
import { findDatabaseUrl } from './services.ts';

const env = { DATABASE_URL_VOICE_API: 'postgres://by-service', DATABASE_URL: 'postgres://by-image' };

describe('databaseUrl', () => {
  test.each([
    [env, { product: 'voice-api' as const, databaseUrl: 'postgres://by-option' }, 'postgres://by-option'],
    [env, { product: 'voice-api' as const }, 'postgres://by-service'],
    [env, { product: 'notifications' as const }, 'postgres://by-image'],
  ])('%j %j', (given, options, url) => {
    expect(findDatabaseUrl(given, options)).toBe(url);
  });
});
