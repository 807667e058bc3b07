import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProgram } from './program.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'parley-cli-mail-'));
});
afterAll(() => rm(dir, { recursive: true }));

async function listed(from: string): Promise<unknown[]> {
  const lines: string[] = [];
  const parley = createProgram({}, { print: (line) => lines.push(line), explain: () => undefined });
  await parley.parseAsync(['mail', 'list', '--dir', from], { from: 'user' });
  return lines.map((line) => JSON.parse(line) as unknown);
}

test('lists captured mail, newest first, with decoded subjects', async () => {
  const mail = (subject: string) =>
    `Subject: ${subject}\r\nTo: ann@customer.example\r\nDate: x\r\n\r\nSubject: no header\r\n`;
  await writeFile(join(dir, '2026-01-01T00-00-00.000Z-ntf_1.eml'), mail('Tea'));
  await writeFile(
    join(dir, '2026-01-02T00-00-00.000Z-ntf_2.eml'),
    mail('=?UTF-8?Q?Tee_f=C3=BCr?=\r\n =?UTF-8?B?IHp3ZWk=?='),
  );
  await writeFile(join(dir, '.half-written'), 'x');
  expect(await listed(dir)).toMatchObject([
    {
      subject: 'Tee für zwei',
      to: 'ann@customer.example',
      date: 'x',
      file: expect.stringContaining('ntf_2'),
    },
    { subject: 'Tea' },
  ]);
});

test('a missing folder holds no mail', async () => expect(await listed(join(dir, 'none'))).toEqual([]));
