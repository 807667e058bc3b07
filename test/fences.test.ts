// The fences hold: a forbidden import is an error of the lint, an allowed one is not. Without this
// test a fence that was skipped (it is, when no project graph is cached) would look like a fence
// that holds.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('..', import.meta.url));
const BOUNDARY = '@nx/enforce-module-boundaries';
const RESTRICTED = 'no-restricted-imports';
const RESTRICTED_TYPED = '@typescript-eslint/no-restricted-imports';
const SYNTAX = 'no-restricted-syntax';
const GLOBAL = 'no-restricted-globals';
const COLUMNS = 'words/comment-columns';
const WORDS = 'words/comment-words';
const NAMES = 'words/type-names';
const SPREAD = 'words/spread-literal';
const SEQUENCE = 'no-sequences';
const ORDER = 'folders/order';
const LINES = 'max-lines-per-function';
const PARAMETERS = 'max-params';
const COMPLEXITY = 'complexity';

/** What is planted where, and the rule that must refuse it; null: it must be allowed. */
const planted: [path: string, text: string, rule: string | null][] = [
  // Apps never import apps, nor another service's store or engine.
  ['apps/voice-api/src/bots/x.ts', `import '../../../flow-builder/src/app.ts';`, BOUNDARY],
  ['apps/voice-api/src/bots/x.ts', `import '@parley/store-flow-builder';`, BOUNDARY],
  ['apps/notifications/src/channels/web-push/x.ts', `import '@parley/flow-engine';`, BOUNDARY],
  ['apps/voice-api/src/bots/x.ts', `import '@parley/store-voice-api';`, null],
  ['apps/flow-builder/src/turns/x.ts', `import '@parley/flow-engine';`, null],
  // libs/testing is for tests.
  ['apps/voice-api/src/bots/x.ts', `import '@parley/testing';`, BOUNDARY],
  ['apps/voice-api/test/x.int.test.ts', `import '@parley/testing';`, null],
  ['libs/server/http/src/x.ts', `import '@parley/testing';`, BOUNDARY],
  ['prisma/voice-api/client.ts', `import '@parley/testing';`, BOUNDARY],
  ['prisma/voice-api/test/x.int.test.ts', `import '@parley/testing';`, null],
  // Shared libraries know no product, and no store.
  ['libs/server/http/src/x.ts', `import '@parley/store-voice-api';`, BOUNDARY],
  ['libs/jobs/src/messages/x.ts', `import '@parley/flow-engine';`, BOUNDARY],
  ['apps/dev/src/stack/x.ts', `import '../../../voice-api/src/app.ts';`, BOUNDARY],
  // The folders of libs/server have an order, and are imported by their names.
  ['libs/server/runtime/src/x.ts', `import '@parley/server/postgres';`, RESTRICTED],
  ['libs/server/http/src/x.ts', `import '@parley/server/limits';`, RESTRICTED],
  ['libs/server/http/src/x.ts', `import '../../postgres/src/index.ts';`, RESTRICTED],
  ['libs/server/http/src/x.ts', `import '@parley/server/postgres';`, null],
  ['libs/server/http/src/body/x.ts', `import '../x.ts';`, null],
  ['libs/server/http/test/x.test.ts', `import '../src/x.ts';`, null],
  ['libs/auth/src/x.ts', `import '@parley/server/http';`, null],
  // Pure libraries do no I/O and use a short list of packages.
  ['libs/flow-engine/src/x.ts', `import '@parley/server/postgres';`, BOUNDARY],
  ['libs/flow-engine/src/x.ts', `import 'got';`, BOUNDARY],
  ['libs/answers/src/x.ts', `import '@parley/flow-engine';`, BOUNDARY],
  ['libs/flow-engine/src/x.ts', `import '@parley/flow-analysis';`, BOUNDARY],
  ['libs/flow-analysis/src/validate/x.ts', `import '@parley/flow-engine/define/model';`, null],
  ['apps/flow-builder/src/turns/x.ts', `import '@parley/flow-engine/define/model';`, SYNTAX],
  ['libs/flow-analysis/src/validate/x.ts', `import '../explain/reach.ts';`, ORDER],
  ['libs/answers/src/x.ts', `import 'node:fs';`, RESTRICTED],
  ['libs/flow-engine/src/x.ts', `import '@parley/answers';`, null],
  ['libs/flow-engine/src/x.ts', `import 'node:fs';`, RESTRICTED],
  ['libs/envelopes/src/x.ts', `import 'node:crypto';`, RESTRICTED],
  ['libs/flow-engine/src/x.ts', `import 're2js';`, null],
  // The SDK is installed by others: no dependency, no library of ours, nothing that a browser
  // lacks.
  ['libs/sdk/src/x.ts', `import '@parley/envelopes';`, BOUNDARY],
  ['libs/sdk/src/x.ts', `import 'zod';`, BOUNDARY],
  ['libs/sdk/src/x.ts', `import 'node:crypto';`, RESTRICTED],
  ['libs/sdk/test/x.test.ts', `import '@parley/testing';`, null],
  ['libs/inbox/src/inbox.ts', `import '@parley/sdk';`, null],
  ['libs/inbox/src/inbox.ts', `import '@parley/envelopes';`, BOUNDARY],
  ['libs/inbox/src/inbox.ts', `import 'zod';`, BOUNDARY],
  ['libs/inbox/src/inbox.ts', `import 'node:crypto';`, RESTRICTED],
  ['libs/inbox/src/react/x.tsx', `import 'react';`, null],
  ['libs/inbox/src/react/x.tsx', `import '@base-ui/react';`, BOUNDARY],
  ['libs/inbox/src/react/x.tsx', `import 'node:crypto';`, RESTRICTED],
  ['libs/inbox/src/react/x.tsx', `export const x = process.cwd();`, GLOBAL],
  ['libs/inbox/test/x.test.tsx', `import '@testing-library/react';`, null],
  ['libs/portal/src/x.tsx', `import '@parley/sdk';`, null],
  ['libs/portal/src/x.tsx', `import '@base-ui/react';`, BOUNDARY],
  ['libs/portal/src/x.tsx', `import 'node:crypto';`, RESTRICTED],
  ['apps/notifications/test/x.int.test.ts', `import '@parley/inbox';`, null],
  ['apps/notifications/src/channels/web-push/x.ts', `import '@parley/inbox';`, BOUNDARY],
  ['apps/console/web/keys/x.ts', `import '@parley/sdk';`, null],
  ['apps/console/web/keys/x.ts', `import '@parley/inbox/react';`, null],
  ['apps/console/src/session/x.ts', `import '@parley/inbox';`, BOUNDARY],
  ['apps/e2e/test/x.e2e.test.ts', `import '@parley/sdk';`, null],
  ['apps/voice-api/src/bots/x.ts', `import '@parley/sdk';`, BOUNDARY],
  // The end-to-end stories use public HTTP only.
  ['apps/e2e/test/x.e2e.test.ts', `import '@parley/server/http';`, BOUNDARY],
  ['apps/e2e/test/x.e2e.test.ts', `import '@parley/dev/stack';`, null],
  // The console: its server knows no store and no other app, its page runs in a browser and knows
  // pure libraries only.
  ['apps/console/src/session/x.ts', `import '@parley/store-voice-api';`, BOUNDARY],
  ['apps/console/src/session/x.ts', `import '../../../voice-api/src/app.ts';`, BOUNDARY],
  ['apps/console/src/session/x.ts', `import '@parley/server/http';`, null],
  ['apps/console/src/session/x.ts', `import '@parley/mcp';`, null],
  ['apps/console/web/keys/x.ts', `import '@parley/mcp';`, BOUNDARY],
  ['apps/flow-builder/src/turns/x.ts', `import '@parley/mcp';`, BOUNDARY],
  ['apps/console/src/session/x.ts', `export const x = process.env['X'];`, SYNTAX],
  ['apps/console/web/keys/x.tsx', `import '@parley/server/http';`, BOUNDARY],
  ['apps/console/web/keys/x.tsx', `import 'node:fs';`, RESTRICTED],
  ['apps/console/web/keys/x.tsx', `export const x = Buffer.from('x');`, GLOBAL],
  ['apps/console/web/engine/x.ts', `import '@parley/flow-engine';`, null],
  // Inside an app.
  ['apps/voice-api/src/bots/x.rules.ts', `import 'pg';`, RESTRICTED_TYPED],
  ['apps/voice-api/src/bots/x.rules.ts', `import './bots.ts';`, RESTRICTED_TYPED],
  ['apps/voice-api/src/bots/x.rules.ts', `import './y.rules.ts';`, null],
  ['apps/voice-api/src/bots/x.rules.ts', `import '@parley/outbound';`, RESTRICTED_TYPED],
  ['apps/voice-api/src/bots/x.rules.ts', `import '@parley/outbound/standard-webhooks';`, null],
  ['apps/voice-api/src/bots/x.ts', `import 'express';`, RESTRICTED],
  ['apps/voice-api/src/bots/x.ts', `export const x = process.env['X'];`, SYNTAX],
  ['libs/server/http/src/x.ts', `export const x = process.env['X'];`, SYNTAX],
  // A bundle moves code into chunks: nothing looks beside its own file, except where a checkout has
  // it.
  ['libs/server/http/src/x.ts', `export const x = new URL('./page', import.meta.url);`, SYNTAX],
  ['apps/cli/src/main.ts', `export const x = import.meta.dirname;`, SYNTAX],
  ['apps/voice-api/src/bots/x.ts', `export const x = shippedPath('page', () => import.meta.dirname);`, null],
  ['apps/voice-api/src/main.ts', `export const x = process.env['X'];`, null],
  // Imports go downwards in the order of a project's folders.
  ['apps/flow-builder/src/turns/x.ts', `import '../walk/x.ts';`, null],
  ['apps/flow-builder/src/turns/x.ts', `import '../flows/x.ts';`, ORDER],
  ['apps/flow-builder/src/turns/x.ts', `import type { X } from '../flows/x.ts';`, ORDER],
  ['apps/flow-builder/src/turns/x.ts', `export * from '../flows/x.ts';`, ORDER],
  ['apps/flow-builder/src/turns/x.ts', `export const x = () => import('../flows/x.ts');`, ORDER],
  ['apps/flow-builder/src/turns/x.ts', `export type X = import('../flows/x.ts').X;`, ORDER],
  ['apps/flow-builder/src/turns/x.ts', `import '../app.ts';`, ORDER],
  ['apps/flow-builder/src/chat/x.ts', `import '../explain/x.ts';`, ORDER],
  ['apps/flow-builder/src/chat/x.ts', `import '../nowhere/x.ts';`, ORDER],
  ['apps/flow-builder/src/nowhere/x.ts', `export const x = 1;`, ORDER],
  ['apps/flow-builder/src/nowhere.ts', `export const x = 1;`, ORDER],
  ['apps/flow-builder/src/chat/x.test.ts', `import '../explain/x.ts';`, null],
  // Functions of projects on the list are small.
  ['apps/flow-builder/src/turns/x.ts', `export function x() {${'\n'.repeat(60)}}`, LINES],
  ['apps/flow-builder/src/turns/x.ts', `export function x() {${'\n'.repeat(59)}}`, null],
  ['apps/flow-builder/src/turns/x.ts', `export function x(a, b, c, d, e, f) {}`, PARAMETERS],
  ['apps/flow-builder/src/turns/x.ts', `export function x(a) {${'if (a) a();'.repeat(15)}}`, COMPLEXITY],
  // How every project reads (docs/glossary.md).
  ['libs/platform/src/alerts/src/x.ts', `// ${'word '.repeat(20)}`, COLUMNS],
  ['libs/platform/src/alerts/src/x.ts', `// ${'word '.repeat(19)}`, null],
  ['libs/platform/src/alerts/src/x.ts', `/** ${'word '.repeat(10)}\n * ${'word '.repeat(20)} */`, COLUMNS],
  ['libs/platform/src/alerts/src/x.ts', `// https://example.com/${'a'.repeat(100)}`, null],
  ['libs/platform/src/alerts/src/x.ts', `// Somebody waits.`, WORDS],
  ['libs/platform/src/alerts/src/x.ts', `/* The worker is told of it. */`, WORDS],
  ['libs/platform/src/alerts/src/x.ts', `// The worker reads it.`, null],
  ['libs/platform/src/alerts/src/x.ts', `export interface WhatWasTold { id: string }`, NAMES],
  ['libs/platform/src/alerts/src/x.ts', `export const x = { ...{ a: 1, b: 2 }, c: 3 };`, SPREAD],
  ['apps/bench/src/x.ts', `export const x = () => (f(), 1);`, SEQUENCE],
  ['libs/platform/src/alerts/src/x.ts', `export interface Report { id: string }`, null],
];

let found: { ruleId: string; message: string }[][];
beforeAll(() => {
  // The boundary rule reads the cached graph of projects; this makes it.
  const options = { cwd: root, env: { ...process.env, NX_DAEMON: 'false' } };
  execFileSync(process.execPath, ['node_modules/nx/dist/bin/nx.js', 'show', 'projects'], options);
  found = JSON.parse(
    execFileSync(process.execPath, [fileURLToPath(new URL('lint-planted.mjs', import.meta.url))], {
      ...options,
      input: JSON.stringify(planted.map(([path, text]) => ({ path, text }))),
    }).toString(),
  ) as typeof found;
}, 60_000);

test.each(planted.map((row, index) => [index, ...row] as const))(
  '%i: %s: %s',
  (index, _path, _text, rule) => {
    const rules = found[index]!.map((message) => message.ruleId).filter((id) =>
      [
        BOUNDARY,
        RESTRICTED,
        RESTRICTED_TYPED,
        SYNTAX,
        GLOBAL,
        COLUMNS,
        WORDS,
        NAMES,
        SPREAD,
        SEQUENCE,
        ORDER,
        LINES,
        PARAMETERS,
        COMPLEXITY,
      ].includes(id),
    );
    expect(rules).toEqual(rule === null ? [] : [rule]);
  },
);
