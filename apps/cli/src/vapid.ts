// `parley vapid generate`: makes a key pair for web push and prints it as environment variables.
import webPush from 'web-push';

const ID = /^[A-Za-z0-9_-]{1,32}$/;

/** @returns the lines to print. @throws Error when VAPID_KEYS cannot hold the id. */
export function vapidLines(options: { readonly id: string; readonly subject: string }): string[] {
  const { id, subject } = options;
  if (!ID.test(id)) throw new Error(`"${id}" is not an id: 1 to 32 letters, digits, _ or -`);
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  return [
    `# The public key, which browsers get from GET /v1/push/vapid-public-key: ${publicKey}`,
    '# The private key is a secret: store the value of VAPID_KEYS_VALUE with your other secrets (env://, file:// or vault://).',
    '# To rotate, add the new entry in front of the old ones: VAPID_KEYS_VALUE=new:…,old:…',
    'NOTIFICATIONS_WEB_PUSH_ENABLED=true',
    `VAPID_SUBJECT=${subject}`,
    'VAPID_KEYS=env://VAPID_KEYS_VALUE',
    `VAPID_KEYS_VALUE=${id}:${privateKey}`,
  ];
}

/** An id with the day on which the key was made. */
export function vapidId(nowMs: number): string {
  return `k${new Date(nowMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
}
