// Walks through actions of the console: each one says what happened, and leaves focus on what it
// produced, on the next row, or on what began it. Never on the body.
import { afterEach, expect, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { SERVICES } from '../api/clients.ts';
import { openAt, type Answers } from './page-under-test.tsx';

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

const AT = '2026-01-15T12:00:00.000Z';
/** Only the voice API wraps its answers in `data`. */
const both = (body: object) => ({ ...body, success: true, data: body });
const page = (items: readonly object[]) => both({ items, next_cursor: null });

const webhook = {
  id: 'wh_1',
  url: 'https://example.com/hook',
  events: ['*'],
  filter: null,
  description: null,
  status: 'active',
  secret_hint: 'abcd',
  public_key: null,
  previous_secret_until: null,
  headers: null,
  ordered: false,
  health: { deliveries: 0, success_rate: null, p95_ms: null, last_error: null },
  created_at: AT,
};
const template = {
  template_id: 'order',
  version: 2,
  latest_version: 2,
  published_version: 1,
  default_locale: 'en',
  locales: [{ locale: 'en', message: 'Hello' }],
  created_at: 1,
  updated_at: 1,
};
const topic = { topic_id: 'kitchen', members: 3, created_at: 1, updated_at: 2 };
const key = (id: string) => ({
  id,
  name: id,
  display: `fb_live_${id}…`,
  rotated_to: null,
  bot_ids: [],
  created_by: 'key_1',
  scopes: ['read'],
  allowed_ips: [],
  created_at: AT,
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
});
const alert = (id: string) => ({
  id,
  kind: 'storage_almost_full',
  severity: 'warning',
  title: `Alert ${id}`,
  subject: id,
  message: `Message of ${id}.`,
  status: 'open',
  opened_at: AT,
  last_raised_at: AT,
  acknowledged_at: null,
  acknowledged_by: null,
  resolved_at: null,
});

/** A list that loses the rows that are deleted; of the same kind as the services have it. */
function rows(path: string, member: string, of: (id: string) => object = () => ({})): Answers {
  const all = ['ada', 'ben', 'cem'].map((id) => ({ [member]: id, created_at: 1, ...of(id) }));
  const gone = new Set<string>();
  const left = () => page(all.filter((row) => !gone.has(String(row[member]))));
  const remove = (id: string) => () => {
    gone.add(id);
    return both({ [member]: id, deleted: true, revoked: true });
  };
  return {
    [`GET ${path}`]: left,
    ...Object.fromEntries(['ada', 'ben', 'cem'].map((id) => [`DELETE ${path}/${id}`, remove(id)])),
    [`POST ${path}`]: ({ body }) => {
      for (const id of (body as { remove?: string[] }).remove ?? []) gone.add(id);
      return both(topic);
    },
  };
}

const categories = () => rows('/v1/categories', 'id', (id) => ({ name: id, required: false, updated_at: 1 }));
const members = (): Answers => ({
  'GET /v1/topics/kitchen': () => topic,
  ...rows('/v1/topics/kitchen/members', 'user_id'),
});
const applications = () => rows('/v1/applications', 'id', (id) => ({ name: id, created_at: AT }));
const webhooks = (): Answers => {
  let all = [webhook];
  return {
    'GET /v1/webhooks': () => page(all),
    'GET /v1/webhooks/wh_1': () => both(webhook),
    'GET /v1/webhooks/wh_1/deliveries': () => page([]),
    'GET /v1/bots': () => page([]),
    'POST /v1/webhooks': () => both({ ...webhook, secret: 'whsec_1' }),
    'PATCH /v1/webhooks/wh_1': () => both(webhook),
    'DELETE /v1/webhooks/wh_1': () => {
      all = [];
      return both({ id: 'wh_1', deleted: true });
    },
  };
};
const publishing = (): Answers => {
  let published = 1;
  const now = () => ({ ...template, published_version: published });
  return {
    'GET /v1/categories': () => page([]),
    'GET /v1/templates/order': now,
    'POST /v1/templates/preview': () => ({ channels: {} }),
    'POST /v1/templates/order/publish': () => {
      published = 2;
      return now();
    },
  };
};

interface Walk {
  readonly at: string;
  readonly answers: () => Answers;
  /** Names of buttons, and `field: text`. */
  readonly steps: readonly string[];
  readonly says: RegExp;
  readonly focused: () => HTMLElement | null;
}

const button = (name: string) => screen.getByRole('button', { name });
const title = (name: string) => screen.getByRole('heading', { level: 1, name });
const rowOf = (text: string) => button(text).closest('tr');

const WALKS: Readonly<Record<string, Walk>> = {
  'deleting a row': {
    at: '/notifications/categories',
    answers: categories,
    steps: ['Delete ben', 'Delete'],
    says: /ben deleted/,
    focused: () => rowOf('Delete cem'),
  },
  'deleting the last row': {
    at: '/notifications/categories',
    answers: categories,
    steps: ['Delete cem', 'Delete'],
    says: /cem deleted/,
    focused: () => rowOf('Delete ben'),
  },
  'removing a member without a question': {
    at: '/notifications/topics/kitchen',
    answers: members,
    steps: ['Remove ada'],
    says: /ada removed from the topic/,
    focused: () => rowOf('Remove ben'),
  },
  'a bulk action': {
    at: '/notifications/topics/kitchen',
    answers: members,
    steps: ['[] Select ada', '[] Select ben', 'Remove'],
    says: /2 members removed/,
    focused: () => screen.getByRole('region', { name: 'Members' }),
  },
  'clearing a selection': {
    at: '/notifications/topics/kitchen',
    answers: members,
    steps: ['[] Select ada', 'Clear selection'],
    says: /^/,
    focused: () => screen.getByRole('region', { name: 'Members' }),
  },
  'deleting an application': {
    at: '/applications',
    answers: applications,
    steps: ['Delete ada', 'Delete application'],
    says: /ada is deleted/,
    focused: () => rowOf('Delete ben'),
  },
  'acknowledging an alert': {
    at: '/alerts',
    answers: () => {
      const gone = new Set<string>();
      const left = () => page(['ada', 'ben'].filter((id) => !gone.has(id)).map(alert));
      return {
        'GET /v1/alerts': ({ service }) => (service === 'voice-api' ? left() : page([])),
        'PUT /v1/alerts/ada/acknowledgement': () => {
          gone.add('ada');
          return both(alert('ada'));
        },
      };
    },
    steps: ['Acknowledge Alert ada'],
    says: /Acknowledged: Alert ada/,
    focused: () => rowOf('Acknowledge Alert ben'),
  },
  'closing the secret of a new webhook': {
    at: '/webhooks',
    answers: webhooks,
    steps: ['Create webhook', 'URL: https://example.com/hook', 'Create webhook', 'Done'],
    says: /Webhook created/,
    focused: () => title('https://example.com/hook'),
  },
  'deleting a webhook': {
    at: '/webhooks/wh_1?tab=settings',
    answers: webhooks,
    steps: ['Delete webhook', 'Delete webhook'],
    says: /Webhook deleted/,
    focused: () => title('Webhooks'),
  },
  'saving a webhook': {
    at: '/webhooks/wh_1?tab=settings',
    answers: webhooks,
    steps: ['Save'],
    says: /Webhook saved/,
    focused: () => button('Save'),
  },
  'publishing a template': {
    at: '/notifications/templates/order',
    answers: publishing,
    steps: ['Publish version 2'],
    says: /Published version 2/,
    focused: () => screen.getByRole('link', { name: 'Send template' }),
  },
  'revoking a key': {
    at: '/keys?service=flow-builder',
    answers: () => ({ ...rows('/v1/api-keys', 'id', key), 'GET /v1/import-tokens': () => page([]) }),
    steps: ['Revoke ada', 'Revoke key'],
    says: /ada is revoked/,
    focused: () => rowOf('Revoke ben'),
  },
};

test.each(Object.entries(WALKS))('after %s', async (_, { at, answers, steps, says, focused }) => {
  const own = both({ scopes: ['admin'], bot_ids: [] });
  const { user } = openAt(
    at,
    { 'GET /v1/api-keys/me': () => own, ...answers() },
    { services: [...SERVICES], services_here: [...SERVICES] },
  );
  for (const step of steps) {
    const [, field, text] = /^(.*?): (.*)$/.exec(step) ?? [];
    const box = step.startsWith('[] ') ? step.slice(3) : undefined;
    if (field !== undefined) await user.type(await screen.findByLabelText(field), text!);
    else if (box !== undefined) await user.click(await screen.findByLabelText(box));
    else await user.click((await screen.findAllByRole('button', { name: step })).at(-1)!);
  }
  await waitFor(() =>
    expect(screen.getAllByRole('status').map(({ textContent }) => textContent)).toContainEqual(
      expect.stringMatching(says),
    ),
  );
  await waitFor(() => expect(focused()).toHaveFocus());
});
