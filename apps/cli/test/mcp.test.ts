// Where `parley mcp` finds the services (docs/mcp.md#services). What it serves: libs/mcp/test.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { addressesOf, notNamed } from '../src/mcp/addresses.ts';

describe('services', () => {
  test('are those of the environment, each with its key', () => {
    expect(addressesOf({ PARLEY_FLOWS_URL: 'http://flows', PARLEY_FLOWS_KEY: 'fb_test_key' })).toEqual({
      'flow-builder': { url: 'http://flows', key: 'fb_test_key' },
    });
    expect(() => addressesOf({ PARLEY_VOICE_URL: 'http://voice' })).toThrow('PARLEY_VOICE_KEY is missing');
    expect(() => addressesOf({ PARLEY_NOTIFICATIONS_KEY: 'nt_test_key' })).toThrow(
      'PARLEY_NOTIFICATIONS_URL is missing',
    );
  });

  test('are those of the running development stack where none is named, and never both', () => {
    const here = process.cwd();
    const folder = mkdtempSync(join(tmpdir(), 'parley-mcp-'));
    mkdirSync(join(folder, '.parley'));
    const dev = { services: { 'voice-api': { base_url: 'http://voice/v1', api_key: 'va_test_key' } } };
    writeFileSync(join(folder, '.parley/dev.json'), JSON.stringify(dev));
    try {
      process.chdir(folder);
      expect(addressesOf({})).toEqual({ 'voice-api': { url: 'http://voice/v1', key: 'va_test_key' } });
      const named = { PARLEY_FLOWS_URL: 'http://flows', PARLEY_FLOWS_KEY: 'fb_test_key' };
      expect(Object.keys(addressesOf(named))).toEqual(['flow-builder']);
    } finally {
      process.chdir(here);
      rmSync(folder, { recursive: true });
    }
  });

  test('which variables are missing is said', () => {
    expect(notNamed('voice-api')).toContain('set PARLEY_VOICE_URL and PARLEY_VOICE_KEY');
  });
});
