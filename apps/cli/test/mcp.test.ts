// How `parley mcp` finds the services (docs/mcp.md#services). libs/mcp/test covers the tools.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { readAddresses, explainMissing } from '../src/mcp/addresses.ts';

describe('services', () => {
  test('are read from the environment, each with its key', () => {
    expect(readAddresses({ PARLEY_FLOWS_URL: 'http://flows', PARLEY_FLOWS_KEY: 'fb_test_key' })).toEqual({
      'flow-builder': { url: 'http://flows', key: 'fb_test_key' },
    });
    expect(() => readAddresses({ PARLEY_VOICE_URL: 'http://voice' })).toThrow('PARLEY_VOICE_KEY is missing');
    expect(() => readAddresses({ PARLEY_NOTIFICATIONS_KEY: 'nt_test_key' })).toThrow(
      'PARLEY_NOTIFICATIONS_URL is missing',
    );
  });

  test('are those of the development stack when the environment names none, and never both', () => {
    const here = process.cwd();
    const folder = mkdtempSync(join(tmpdir(), 'parley-mcp-'));
    mkdirSync(join(folder, '.parley'));
    const dev = { services: { 'voice-api': { base_url: 'http://voice/v1', api_key: 'va_test_key' } } };
    writeFileSync(join(folder, '.parley/dev.json'), JSON.stringify(dev));
    try {
      process.chdir(folder);
      expect(readAddresses({})).toEqual({ 'voice-api': { url: 'http://voice/v1', key: 'va_test_key' } });
      const named = { PARLEY_FLOWS_URL: 'http://flows', PARLEY_FLOWS_KEY: 'fb_test_key' };
      expect(Object.keys(readAddresses(named))).toEqual(['flow-builder']);
    } finally {
      process.chdir(here);
      rmSync(folder, { recursive: true });
    }
  });

  test('the message names the missing variables', () => {
    expect(explainMissing('voice-api')).toContain('set PARLEY_VOICE_URL and PARLEY_VOICE_KEY');
  });
});
