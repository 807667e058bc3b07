// The fences of the house (README, "Who may import whom") and every rule that needs no types; those
// that do are in .oxlintrc.json. Run through Nx, which makes the project graph first: without one
// the fence would be skipped silently.
import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import jsxA11y from 'eslint-plugin-jsx-a11y';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';
import folders, { folderOrders } from './eslint-folders.mjs';
import words from './eslint-words.mjs';

/**
 * Which tags a project may depend on. Every row is a whole rule: flat config replaces a rule, it
 * does not merge it.
 */
const mayDependOn = {
  'type:app': ['type:pure', 'type:io', 'type:store'],
  'type:cli': ['type:pure', 'type:io', 'type:sdk', 'type:mcp'],
  'type:console': ['type:pure', 'type:io', 'type:sdk', 'type:mcp'],
  'type:mcp': ['type:pure', 'type:io', 'type:sdk'],
  'type:dev': ['type:pure', 'type:io', 'type:testkit'],
  'type:e2e': ['type:pure', 'type:sdk', 'type:testkit', 'type:dev'],
  'type:io': ['type:pure', 'type:io'],
  'type:pure': ['type:pure'],
  'type:testkit': ['type:pure', 'type:io', 'type:testkit'],
  'type:store': [],
  'type:sdk': [],
  'type:ui': ['type:sdk'],
};

/** Tests of anything that does I/O may also use libs/testing. */
const mayDependOnInTests = {
  ...mayDependOn,
  'type:app': [...mayDependOn['type:app'], 'type:ui', 'type:testkit', 'type:dev'],
  'type:cli': [...mayDependOn['type:cli'], 'type:testkit'],
  'type:console': [...mayDependOn['type:console'], 'type:testkit', 'type:dev'],
  'type:mcp': [...mayDependOn['type:mcp'], 'type:testkit'],
  'type:io': [...mayDependOn['type:io'], 'type:testkit'],
  'type:store': ['type:testkit'],
  'type:sdk': ['type:testkit'],
  'type:ui': ['type:sdk', 'type:testkit'],
};

/**
 * What runs in a browser does no I/O of ours: pure libraries, and what the services are asked with.
 */
const mayDependOnInBrowser = { ...mayDependOn, 'type:console': ['type:pure', 'type:sdk', 'type:ui'] };

/**
 * A service sees its own things and what is shared, never another service's tables. The engine is
 * of two; the console runs it (filters of webhooks are its conditions), and so do `parley` and the
 * stories.
 */
const scopes = [
  ...['flow-builder', 'voice-api', 'notifications'].map((service) => ({
    sourceTag: `scope:${service}`,
    onlyDependOnLibsWithTags: [`scope:${service}`, 'scope:shared'],
  })),
  {
    sourceTag: 'scope:console',
    onlyDependOnLibsWithTags: ['scope:console', 'scope:flow-builder', 'scope:shared'],
  },
  ...['cli', 'e2e'].map((app) => ({
    sourceTag: `scope:${app}`,
    onlyDependOnLibsWithTags: [`scope:${app}`, 'scope:flow-builder', 'scope:shared'],
  })),
];

/** Packages that a pure library may use beside zod: small, synchronous, without I/O. */
const purePackages = ['zod', 're2js', 'libphonenumber-js', 'tldts', 'fastest-levenshtein', 'yaml'];
const testPackages = ['@jest/globals', 'fast-check', 'rfc6902', 'ajv'];
/**
 * What whoever installs a library of ours has beside it: nothing for the SDK, and React, if they
 * use it, for what is drawn with it.
 */
const installedPackages = {
  'type:sdk': [],
  'type:ui': ['react', 'react/*', 'react-dom', 'react-dom/client'],
};

function fence(table, packages) {
  return {
    '@nx/enforce-module-boundaries': [
      'error',
      {
        enforceBuildableLibDependency: false,
        allow: [],
        allowCircularSelfDependency: true, // the folders of libs/server import each other by their public names
        depConstraints: [
          ...Object.entries(table).map(([sourceTag, tags]) => ({
            sourceTag,
            onlyDependOnLibsWithTags: tags,
            ...(sourceTag === 'type:pure'
              ? { allowedExternalImports: packages.flatMap((name) => [name, `${name}/*`]) }
              : {}),
            ...(sourceTag in installedPackages && table !== mayDependOnInTests
              ? { allowedExternalImports: installedPackages[sourceTag] }
              : {}),
          })),
          ...scopes,
          { sourceTag: 'scope:shared', onlyDependOnLibsWithTags: ['scope:shared'] },
        ],
      },
    ],
  };
}

const noEnv = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'Only main.ts reads process.env: take the configuration as an argument.',
};

const noOwnPlace = {
  selector: "MetaProperty:not(CallExpression[callee.name='shippedPath'] MetaProperty)",
  message:
    'A bundle moves code into other files: shippedPath (@parley/server/runtime) finds what lies beside it.',
};

const noEngineModule = {
  selector: 'ImportDeclaration[source.value=/^@parley\\u002Fflow-engine\\u002F/]',
  message: 'Only libs/flow-analysis imports modules of the engine: use @parley/flow-engine.',
};

const ofTheHouse = {
  'no-empty': ['error', { allowEmptyCatch: true }], // a catch with a comment that says why is fine
  '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
  '@typescript-eslint/consistent-type-imports': 'error',
};

/**
 * The folders of libs/server and which of the others each may import: by `@parley/server/<folder>`,
 * never by a path.
 */
const serverFolders = {
  runtime: [],
  'sealed-columns': [],
  'console-access': ['runtime'],
  tracing: [],
  redis: ['runtime'],
  postgres: ['runtime'],
  organizations: ['postgres', 'runtime'],
  http: ['postgres', 'runtime', 'tracing'],
  audit: ['http', 'postgres', 'runtime'],
  limits: ['http', 'organizations', 'postgres', 'redis', 'runtime'],
  'event-streams': ['http', 'postgres', 'runtime'],
};

/** Projects whose functions are small: at most 60 lines, five parameters and 15 branches. */
const smallFunctions = ['apps/flow-builder', 'libs/envelopes', 'libs/mcp', 'libs/metrics'];

export default tseslint.config(
  {
    ignores: ['**/node_modules', '**/dist', '**/generated', '.nx', '.parley', 'coverage'],
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommended],
    plugins: { '@nx': nx, folders, words },
    rules: {
      ...fence(mayDependOn, purePackages),
      'words/spread-literal': 'error',
      'no-sequences': ['error', { allowInParentheses: false }],
      'no-restricted-syntax': ['error', noEnv, noOwnPlace, noEngineModule],
      ...ofTheHouse,
    },
  },
  {
    files: ['**/*.test.ts', '**/test/**/*.{ts,tsx}'],
    ignores: ['apps/*/web/**'],
    rules: fence(mayDependOnInTests, [...purePackages, ...testPackages, 'node:*']),
  },
  {
    // Tests, and what a person runs, read the environment; so does the one entry point of each app.
    files: [
      '**/*.test.{ts,tsx}',
      '**/test/**/*.{ts,tsx}',
      'apps/*/src/main.ts',
      'apps/{bench,e2e}/src/*/main.ts',
      'apps/dev/**',
      'apps/*/vite.config.ts',
      'libs/testing/**',

      'libs/answers/build/**',
      'prisma.config.ts',
    ],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    files: ['apps/{bench,e2e}/src/**/*.ts'],
    ignores: ['**/main.ts'],
    rules: { 'no-restricted-syntax': ['error', noEnv, noEngineModule] },
  },
  {
    files: ['libs/flow-analysis/src/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', noEnv, noOwnPlace] },
  },
  {
    files: ['apps/{flow-builder,voice-api,notifications,console,cli}/src/main.ts'],
    rules: { 'no-restricted-syntax': ['error', noOwnPlace] },
  },
  {
    files: ['libs/{answers,flow-analysis,flow-engine,envelopes,sdk,inbox,portal}/src/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { group: ['node:*'], message: 'A pure library does no I/O and imports no Node module.' },
          ],
        },
      ],
    },
  },
  ...Object.entries(serverFolders).map(([folder, others]) => ({
    files: [`libs/server/${folder}/**/*.ts`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: `^@parley/server/(?!(?:${[...others, 'none'].join('|')})$)|^\\.\\./(?:\\.\\./)+(?!src/|test/)`,
              message: `libs/server/${folder} imports ${others.length ? others.map((other) => `@parley/server/${other}`).join(', ') : 'no other folder of libs/server'} only.`,
            },
          ],
        },
      ],
    },
  })),
  {
    // Inside an app: rules stay pure, and Express stays at the border.
    files: ['apps/*/src/**/*.rules.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              allowTypeImports: true,
              regex:
                '^(?!\\./|\\.\\./|zod$|@parley/envelopes$|node:crypto$|@parley/answers/|@parley/outbound/standard-webhooks$)|^\\.{1,2}/(?!.*\\.rules\\.ts$)',
              message:
                'Rules import other rules, zod, @parley/envelopes, parts of @parley/answers, node:crypto and the signatures of Standard Webhooks only.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['apps/{flow-builder,voice-api,notifications}/src/**/*.ts'],
    ignores: ['**/{app,main,routes}.ts', '**/*.rules.ts', '**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { paths: [{ name: 'express', message: 'Express stays in app.ts, main.ts and routes.ts.' }] },
      ],
    },
  },
  {
    // What runs in a browser.
    files: ['apps/*/web/**/*.{ts,tsx}', 'libs/{inbox/src/react,portal/src}/*.{ts,tsx}'],
    extends: [reactHooks.configs.flat.recommended, jsxA11y.flatConfigs.strict],
    rules: {
      ...fence(mayDependOnInBrowser, purePackages),
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['node:*'], message: 'This runs in a browser.' }] },
      ],
      'no-restricted-syntax': ['error', noEnv, noEngineModule],
      'no-restricted-globals': ['error', 'process', 'Buffer', 'require'],
      'jsx-a11y/no-noninteractive-tabindex': ['error', { roles: ['region'], tags: [] }], // scrollers that keys can reach
    },
  },
  {
    // An action that says nothing, or reloads nothing, is easily overlooked.
    files: ['apps/console/web/**/*.{ts,tsx}'],
    ignores: ['apps/console/web/ui/action.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [{ group: ['node:*'], message: 'This runs in a browser.' }],
          paths: [
            {
              name: '@tanstack/react-query',
              importNames: ['useMutation'],
              message: 'Actions use useAction of ui/action.ts, which says what happened.',
            },
          ],
        },
      ],
    },
  },
  {
    files: Object.keys(folderOrders).map((folder) => `${folder}/**/*.{ts,tsx}`),
    ignores: ['**/*.test.{ts,tsx}'],
    rules: { 'folders/order': 'error' },
  },
  {
    files: smallFunctions.map((project) => `${project}/src/**/*.ts`),
    ignores: ['**/*.test.ts'],
    rules: {
      'max-lines-per-function': ['error', 60],
      'max-params': ['error', 5],
      complexity: ['error', 15],
    },
  },
  {
    // What reads as docs/glossary.md says.
    files: ['{apps,libs,prisma,test}/**/*.{ts,tsx}'],
    rules: { 'words/comment-columns': 'error', 'words/comment-words': 'error', 'words/type-names': 'error' },
  },
  prettier,
);
