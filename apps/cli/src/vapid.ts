// `parley vapid generate`: a key pair for web push, and the lines that a deployment of notifications needs for it. Nothing is
// stored or sent.
import webPush from 'web-push';

const ID = /^[A-Za-z0-9_-]{1,32}$/;

/** The printed lines. @throws Error when the id cannot stand in VAPID_KEYS. */
export function vapidLines(options: { readonly id: string; readonly subject: string }): string[] {
  const { id, subject } = options;
  if (!ID.test(id)) throw new Error(`"${id}" is not an id: 1 to 32 letters, digits, _ or -`);
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  return [
    `# The public key, as browsers get it from GET /v1/push/vapid-public-key: ${publicKey}`,
    '# The private key is a secret: keep the value of VAPID_KEYS_VALUE where your other secrets are (env://, file:// or vault://).',
    '# To rotate, put the new entry in front and keep the old ones: VAPID_KEYS_VALUE=new:…,old:…',
    'NOTIFICATIONS_WEB_PUSH_ENABLED=true',
    `VAPID_SUBJECT=${subject}`,
    'VAPID_KEYS=env://VAPID_KEYS_VALUE',
    `VAPID_KEYS_VALUE=${id}:${privateKey}`,
  ];
}

/** An id that says when the key was made. */
export function vapidId(nowMs: number): string {
  return `k${new Date(nowMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
}
