// The rules of .oxlintrc.json find what is planted: without types, or without its helper, oxlint
// would skip them silently.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A fault for each rule. */
const planted: Readonly<Record<string, string>> = {
  'await-thenable': 'export const x = async (n: number) => { await n; };',
  'no-array-delete': 'export const x = (list: number[]) => { delete list[0]; };',
  'no-base-to-string': 'export const x = (value: object) => `is ${String(value)}`;',
  'no-duplicate-type-constituents': "export type X = 'a' | 'b' | 'a';",
  'no-floating-promises': 'export const x = (work: () => Promise<void>) => { work(); };',
  'no-for-in-array': 'export const x = (list: number[]) => { for (const i in list) console.log(i); };',
  'no-implied-eval': "setTimeout('console.log(1)', 1);",
  'no-misused-promises':
    'export const x = (list: number[], ask: () => Promise<boolean>) => { if (ask()) list.pop(); };',
  'no-redundant-type-constituents': 'export type X = string | unknown;',
  'no-unnecessary-type-assertion': 'export const x = (text: string) => text!;',
  'no-unsafe-argument': 'export const x = (value: any, to: (text: string) => void) => to(value);',
  'no-unsafe-assignment': 'export const x = (value: any) => { const y = value; return String(y); };',
  'no-unsafe-call': 'export const x = (value: any) => { value(); };',
  'no-unsafe-enum-comparison': 'enum E { A } export const x = (e: E) => e === 0;',
  'no-unsafe-member-access': 'export const x = (value: any) => { void value.y; };',
  'no-unsafe-return': 'export const x = (value: any) => value;',
  'no-unsafe-unary-minus': 'export const x = (text: string) => -text;',
  'only-throw-error': "export const x = () => { throw 'x'; };",
  'prefer-promise-reject-errors': "export const x = () => Promise.reject('x');",
  'restrict-plus-operands': 'export const x = (text: string, list: number[]) => text + list;',
  'restrict-template-expressions': 'export const x = (value: object | null) => `is ${value}`;',
};

test('every rule that needs types finds its fault', async () => {
  // Outside of the checkout: oxlint passes over .parley, where `npm test` has its temporary files.
  const folder = mkdtempSync('/var/tmp/typed-rules-');
  try {
    const options = { strict: true, target: 'ES2022', lib: ['ES2023', 'DOM'], types: [], noEmit: true };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }));
    for (const [rule, text] of Object.entries(planted)) writeFileSync(join(folder, `${rule}.ts`), text);
    const config = join(root, '.oxlintrc.json');
    const oxlint = [
      join(root, 'node_modules/oxlint/bin/oxlint'),
      '--config',
      config,
      '--format=unix',
      folder,
    ];
    const { stdout } = (await promisify(execFile)(process.execPath, oxlint, { cwd: root }).catch(
      (error: unknown) => error,
    )) as { stdout: string };
    const found = [...stdout.matchAll(/([\w-]+)\.ts:\d+:\d+: .*typescript\(([\w-]+)\)/g)]
      .filter(([, file, rule]) => file === rule)
      .map(([, , rule]) => rule!);
    expect([...new Set(found)].sort()).toEqual(Object.keys(planted));
    const rules = readFileSync(config, 'utf8').matchAll(/"typescript\/([\w-]+)": "error"/g);
    expect([...rules].map(([, rule]) => rule)).toEqual(Object.keys(planted));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
