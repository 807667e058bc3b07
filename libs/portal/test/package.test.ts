// The package as others install it, and its types in a foreign program.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';

jest.setTimeout(60_000);

const root = fileURLToPath(new URL('../../..', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'parley-portal-package-'));
const installed = join(home, 'node_modules');
const run = (...args: string[]) => execFileSync(process.execPath, args, { cwd: home, encoding: 'utf8' });
const load = (program: string) => run('--input-type=module', '--eval', program);

const PAGE = `import { Portal, type PortalLocalization } from '@parley/portal';
const words: Partial<PortalLocalization> = { title: 'Benachrichtigungen' };
export const Page = ({ token }: { token: string }) => (
  <Portal
    baseUrl="https://voice.example"
    token={token}
    localization={words}
    onTokenExpired={async () => (await fetch('/portal-token')).text()}
  />
);
// @ts-expect-error whose portal
export const wrong = <Portal baseUrl="https://voice.example" />;
`;

beforeAll(() => {
  for (const name of ['sdk', 'portal'])
    run(join(root, 'apps/dev/build-package.mjs'), `libs/${name}`, join(installed, '@parley', name));
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(home, 'page.tsx'), PAGE);
}, 60_000);
afterAll(() => rmSync(home, { recursive: true, force: true }));

test('the component and the style sheet load with React', () => {
  mkdirSync(join(installed, '@types'));
  for (const name of ['react', 'react-dom', 'scheduler', '@types/react', 'csstype'])
    symlinkSync(join(root, 'node_modules', name), join(installed, name));
  const program = `import { Portal } from '@parley/portal';
    import { readFileSync } from 'node:fs';
    const styles = readFileSync(new URL(import.meta.resolve('@parley/portal/styles.css')), 'utf8');
    console.log(typeof Portal, styles.includes('.parley-portal'));`;
  expect(load(program)).toBe('function true\n');
});

test.each([
  ['NodeNext', 'NodeNext'],
  ['ESNext', 'bundler'],
])('its types work with module %s, resolved as %s', (module, moduleResolution) => {
  const compilerOptions = {
    module,
    moduleResolution,
    strict: true,
    noEmit: true,
    types: [],
    target: 'ES2022',
    jsx: 'react-jsx',
    lib: ['ES2022', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
  };
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['page.tsx'] }));
  expect(run(join(root, 'node_modules/typescript7/bin/tsc'), '-p', home)).toBe('');
});
