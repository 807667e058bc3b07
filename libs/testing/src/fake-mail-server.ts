// A mail server for tests: SMTP on this machine. Stores mails and refuses by script.
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { eventually } from './eventually.ts';

export type ReceivedMail = {
  from: string;
  to: string[];
  /** Headers and body, as sent. */
  document: string;
  /** The sender's user, if it logged in. */
  user: string | undefined;
};

/**
 * The reaction to one mail: a reply code at a step; `hang`: reads everything and never answers;
 * `reset`: reads everything and closes the connection; `silent`: no greeting; `drop`: closes at the
 * recipient.
 */
export type MailAnswer =
  | {
      at: 'connect' | 'login' | 'sender' | 'recipient' | 'data';
      code: number;
      /** The rest of the reply, such as `5.1.1 No such user`. */
      text?: string;
      /** At the step `recipient`: refuses only this one. */
      only?: string;
    }
  | 'hang'
  | 'reset'
  | 'silent'
  | 'drop';

export type FakeMailServer = {
  port: number;
  /** `smtp://user:password@127.0.0.1:<port>`, for smtp_url. */
  url: string;
  /** Accepted mails, oldest first. */
  mails: ReceivedMail[];
  /** Connections so far. */
  connections(): number;
  /** Answers of the next connections, one each; then every mail is accepted again. */
  script(...answers: MailAnswer[]): void;
  /** From now on the answer of every unscripted connection; undefined ends it. */
  always(answer: MailAnswer | undefined): void;
  /** Waits until at least `count` mails were accepted, and returns them. */
  received(count: number): Promise<ReceivedMail[]>;
  close(): Promise<void>;
};

/** Larger than any mail of our services. */
const DOCUMENT_BYTES_MAX = 1024 * 1024;

/**
 * Starts a mail server on a free loopback port. With `password`, only the user `parley` may send.
 */
export async function fakeMailServer(
  options: {
    password?: string;
    /** The reply to an accepted mail, by its number, after the code. */
    reply?: (count: number) => string;
  } = {},
): Promise<FakeMailServer> {
  const { password } = options;
  const scripted: MailAnswer[] = [];
  let standing: MailAnswer | undefined;
  const mails: ReceivedMail[] = [];
  const answers = new Map<string, MailAnswer | undefined>();
  let connections = 0;

  const refusal = (id: string, step: string, address?: string): Error | null => {
    const answer = answers.get(id);
    if (typeof answer !== 'object' || answer.at !== step) return null;
    if (answer.only !== undefined && answer.only !== address) return null;
    const text = answer.text ?? `refused by script at ${step}`;
    return Object.assign(new Error(text), { responseCode: answer.code });
  };
  const server = new SMTPServer({
    authOptional: password === undefined,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 100,
    size: DOCUMENT_BYTES_MAX,
    logger: false,
    onConnect: (session, callback) => {
      connections += 1;
      const answer = scripted.shift() ?? standing;
      answers.set(session.id, answer);
      if (answer !== 'silent') callback(refusal(session.id, 'connect'));
    },
    onAuth: (auth, session, callback) => {
      const refused = refusal(session.id, 'login');
      const known = auth.username === 'parley' && auth.password === password;
      if (refused ?? !known) callback(refused ?? Object.assign(new Error('no'), { responseCode: 535 }));
      else callback(null, { user: 'parley' });
    },
    onMailFrom: (_address, session, callback) => callback(refusal(session.id, 'sender')),
    onRcptTo: ({ address }, session, callback) => {
      if (answers.get(session.id) === 'drop') breakOff(session.id);
      else callback(refusal(session.id, 'recipient', address));
    },
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const answer = answers.get(session.id);
        if (answer === 'hang') return;
        if (answer === 'reset') return breakOff(session.id);
        const refused = refusal(session.id, 'data');
        if (!refused) {
          const { mailFrom, rcptTo } = session.envelope;
          mails.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            document: Buffer.concat(chunks).toString('utf8'),
            user: session.user as string | undefined,
          });
        }
        if (refused) callback(refused);
        else callback(null, options.reply?.(mails.length));
      });
    },
  });
  const breakOff = (id: string): void => {
    for (const connection of server.connections) {
      const { session, _socket: socket } = connection as unknown as {
        session: { id: string };
        _socket: { destroy(): void };
      };
      if (session.id === id) socket.destroy();
    }
  };
  server.on('error', () => undefined); // a client that went away
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;

  return {
    port,
    url: `smtp://${password === undefined ? '' : `parley:${encodeURIComponent(password)}@`}127.0.0.1:${port}`,
    mails,
    connections: () => connections,
    script: (...more) => void scripted.push(...more),
    always: (answer) => void (standing = answer),
    received: async (count) => {
      await eventually(() => mails.length >= count);
      return mails;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
