// The mail server of tests: effects of scripts and standing answers.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { fakeMailServer, type FakeMailServer } from '../src/fake-mail-server.ts';

let server: FakeMailServer;

beforeEach(async () => {
  server = await fakeMailServer();
});
afterEach(() => server.close());

const send = (subject: string): Promise<unknown> =>
  createTransport({ url: server.url, greetingTimeout: 300 }).sendMail({
    from: 'a@example.com',
    to: 'b@example.com',
    subject,
    text: 'x',
  });

test('a standing answer applies until it is removed, and a script takes precedence', async () => {
  server.always({ at: 'recipient', code: 451 });
  server.script({ at: 'sender', code: 550 });
  await expect(send('one')).rejects.toMatchObject({ responseCode: 550 });
  await expect(send('two')).rejects.toMatchObject({ responseCode: 451 });
  await expect(send('three')).rejects.toMatchObject({ responseCode: 451 });
  server.always(undefined);
  await send('four');
  expect(server.mails.map(({ document }) => /^Subject: (.*)$/m.exec(document)?.[1]?.trim())).toEqual([
    'four',
  ]);
});

test('a client gives up on a silent server', async () => {
  server.always('silent');
  await expect(send('one')).rejects.toThrow('Greeting never received');
  expect(server.mails).toEqual([]);
});
