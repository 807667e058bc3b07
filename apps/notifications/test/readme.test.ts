// The generated tables of README.md match the code. `npm run docs` writes them.
import { expect, test } from '@jest/globals';
import { endpointTable, environmentTable, findUndocumented, readDocument } from '@parley/testing-services';
import { generatedBlock, markdownTable } from '@parley/testing';
import { settingKeys } from '@parley/server/organizations';
import { config } from '../src/config.ts';
import type { Deps } from '../src/deps.ts';
import { emailEndpoints, senderEndpoints } from '../src/channels/email/routes.ts';
import { trackingEndpoints } from '../src/engagements/routes.ts';
import { inboxEndpoints } from '../src/inbox/routes.ts';
import { notifyEndpoints, productNotifyEndpoints } from '../src/notifications/routes.ts';
import { pushEndpoints, pushHistoryEndpoints } from '../src/channels/web-push/routes.ts';
import { pushReadEndpoints } from '../src/inbox/read-pushed-item.ts';
import { preferenceEndpoints, recipientEndpoints, suppressionEndpoints } from '../src/recipients/routes.ts';
import { templateEndpoints } from '../src/templates/routes.ts';
import { topicEndpoints } from '../src/topics/routes.ts';
import { workflowEndpoints } from '../src/workflows/routes.ts';

const readme = new URL('../README.md', import.meta.url);
const document = readDocument(new URL('../openapi.json', import.meta.url));

// Building the tables needs few deps; only running a row needs the others.
const deps = { channels: new Map(), push: {} } as unknown as Deps;

const settings = Object.entries(settingKeys).map(([key, { kind, docs }]) => [
  `\`${key}\``,
  kind === 'secret' ? 'reference' : 'value',
  docs,
]);

test.each([
  ['environment', environmentTable(config)],
  ['endpoints', endpointTable('/v1', [...notifyEndpoints(deps), ...inboxEndpoints(deps)])],
  [
    'recipient-endpoints',
    endpointTable('/v1', [
      ...recipientEndpoints(deps),
      ...topicEndpoints(deps),
      ...preferenceEndpoints(deps),
      ...suppressionEndpoints(deps),
      ...senderEndpoints(deps),
    ]),
  ],
  ['template-endpoints', endpointTable('/v1', [...templateEndpoints(deps), ...workflowEndpoints(deps)])],
  ['public-endpoints', endpointTable('/v1', [...emailEndpoints(deps), ...trackingEndpoints(deps)])],
  [
    'push-endpoints',
    endpointTable('/v1', [...pushEndpoints(deps), ...pushReadEndpoints(deps), ...pushHistoryEndpoints(deps)]),
  ],
  ['product-endpoints', endpointTable('/product/v1', productNotifyEndpoints(notifyEndpoints(deps)))],
  ['settings', markdownTable(['key', 'set as', 'what it is'], settings)],
])('the table of %s is up to date', (name, table) => {
  const { actual, expected } = generatedBlock(readme, name, table);
  expect(actual).toBe(expected);
});

test('the README names every operation', () => {
  expect(findUndocumented(readme, document)).toEqual([]);
});
