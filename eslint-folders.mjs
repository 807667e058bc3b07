// The order of the folders inside a project: imports go downwards only.
import { dirname, relative, resolve } from 'node:path';

const root = import.meta.dirname;

/**
 * By folder, its layers from top to bottom: folders and files that may import those of lower
 * layers. Parts of one layer do not import each other. The README of the project draws the same
 * order (test/folders.test.ts).
 */
export const folderOrders = {
  'apps/console/src': [
    ['main.ts'],
    ['app.ts'],
    ['forward', 'mcp', 'page', 'sign-in'],
    ['deps.ts'],
    ['session'],
    ['config.ts', 'refusal.ts'],
  ],
  'apps/console/web': [
    ['main.tsx'],
    ['test'],
    ['router.tsx'],
    ['shell'],
    ['agents', 'home', 'people'],
    ['conversations', 'deliveries', 'keys', 'notifications'],
    ['flows', 'exports'],
    ['alerts', 'analytics'],
    ['filters'],
    ['models', 'organization', 'retention', 'webhooks'],
    ['root'],
    ['lists'],
    ['session'],
    ['ui'],
    ['api', 'engine'],
    ['app.css', 'zod-jitless.ts'],
  ],
  'apps/console/web/flows': [
    ['routes.tsx'],
    ['callers', 'list', 'page'],
    ['assistant'],
    ['json', 'versions'],
    ['inspector'],
    ['tests'],
    ['talk'],
    ['problems'],
    ['canvas'],
    ['page-state.ts'],
    ['controls', 'document', 'page-search.ts'],
    ['calls'],
    ['api.ts', 'flows.css', 'tables.ts', 'words.tsx'],
  ],
  'libs/inbox/src': [
    ['index.ts', 'react'],
    ['headless.tsx'],
    ['views.ts'],
    ['inbox.ts', 'preferences.ts'],
    ['shared.ts'],
    ['service.ts'],
    ['changes.ts'],
  ],
  'apps/flow-builder/src': [
    ['main.ts'],
    ['app.ts', 'worker.ts'],
    ['assistant', 'chat', 'explain', 'models'],
    ['flows'],
    ['conversations'],
    ['turns'],
    ['deps.ts'],
    ['config.ts'],
    ['versions'],
    ['heavy', 'gateways'],
    ['walk', 'credentials', 'languages.ts'],
  ],
  'apps/notifications/src': [
    ['main.ts'],
    ['app.ts', 'worker.ts'],
    ['callbacks'],
    ['notifications'],
    ['recurring'],
    ['topic-sends'],
    ['accept', 'inbox'],
    ['deliver', 'workflows'],
    ['recipients', 'templates'],
    ['topics', 'versions'],
    ['deps.ts'],
    ['channels'],
    ['outcomes', 'engagements', 'inbox-items'],
    ['people'],
    ['base-deps.ts'],
    ['push-engine', 'rendering'],
    ['config.ts'],
    ['config', 'timing', 'addresses', 'callers', 'housekeeping.ts'],
  ],
  'apps/notifications/src/channels': [
    ['channels.ts'],
    ['chat', 'email', 'in-app', 'web-push', 'webhook'],
    ['http-outcome.ts', 'truncate.rules.ts', 'unreachable.ts'],
    ['channel.ts'],
  ],
  'libs/flow-analysis/src': [['index.ts'], ['explain'], ['diff', 'expand'], ['validate'], ['schema']],
  'apps/voice-api/src': [
    ['main.ts'],
    ['app.ts', 'worker.ts'],
    ['deps.ts'],
    ['config.ts'],
    ['feed', 'exports', 'imports', 'bots', 'callers', 'applications'],
    ['conversations'],
    ['deliveries'],
    ['webhooks', 'analytics', 'recordings'],
    ['retention'],
    ['webhook-format'],
    ['conversation-model', 'search-text'],
    ['base-deps.ts', 'csv.rules.ts', 'lists.ts', 'negotiate.rules.ts'],
  ],
  'libs/jobs/src': [
    ['index.ts'],
    ['redis-users.ts'],
    ['messages'],
    ['work'],
    ['queues.ts'],
    ['worker.ts', 'producer.ts', 'stats.ts'],
    ['engine'],
    ['isolation', 'job-kind.ts', 'recorder.ts'],
    ['queue-registry.ts', 'reenqueue.rules.ts'],
  ],
};

/** The folder of the table and the part of it that a file belongs to; undefined outside of it. */
function findPart(folder, file) {
  const path = relative(folder, file);
  return path.startsWith('..') ? undefined : path.split('/')[0];
}

const order = {
  meta: { type: 'problem', schema: [] },
  create: ({ filename, report }) => {
    const file = relative(root, filename);
    const orders = Object.entries(folderOrders).filter(([folder]) => findPart(folder, file) !== undefined);
    const layerOf = (layers, part) => layers.findIndex((layer) => layer.includes(part));

    function check(source) {
      if (typeof source?.value !== 'string' || !source.value.startsWith('.')) return;
      const target = relative(root, resolve(dirname(filename), source.value));
      for (const [folder, layers] of orders) {
        const [from, to] = [findPart(folder, file), findPart(folder, target)];
        if (to === undefined || from === to) continue;
        const [above, below] = [layerOf(layers, from), layerOf(layers, to)];
        if (below < 0) report({ node: source, message: missing(folder, to) });
        else if (above >= 0 && below <= above)
          report({
            node: source,
            message: `${from} may not import ${to}: imports go downwards in the order of ${folder} (eslint-folders.mjs).`,
          });
      }
    }

    const checkSource = ({ source }) => check(source);
    return {
      Program(node) {
        for (const [folder, layers] of orders) {
          const part = findPart(folder, file);
          if (layerOf(layers, part) < 0) report({ node, message: missing(folder, part) });
        }
      },
      ImportDeclaration: checkSource,
      ExportNamedDeclaration: checkSource,
      ExportAllDeclaration: checkSource,
      ImportExpression: checkSource,
      TSImportType: checkSource,
    };
  },
};

const missing = (folder, part) => `The order of ${folder} has no ${part}: add it to eslint-folders.mjs.`;

export default { rules: { order } };
