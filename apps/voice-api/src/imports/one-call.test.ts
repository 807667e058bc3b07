import { expect, test } from '@jest/globals';
import { oneCalls } from '@parley/testing';
import { elevenlabs } from './elevenlabs.rules.ts';
import { livekit } from './livekit.rules.ts';
import type { Importer } from './report.rules.ts';
import { retell } from './retell.rules.ts';
import { vapi } from './vapi.rules.ts';

const importers: Readonly<Record<string, Importer>> = { elevenlabs, livekit, retell, vapi };

test.each(oneCalls)('a report has the id that the chat of its call has: $call', ({ source, report, id }) => {
  const importer = importers[source]!;
  const imported = importer.read(importer.chooseShape(report).parse(report) as never);
  expect(imported).toMatchObject({ report: { conversationId: id } });
});
