import { expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { openAt, type Answers } from './page-under-test.tsx';

const NONE = { items: [], next_cursor: null };
const head = {
  workflow_id: 'shipped',
  created_at: 1,
  updated_at: 2,
  latest_version: 2,
  published_version: 1,
};
const content = {
  channels: ['in_app'],
  template: { id: 'order' },
  steps: [{ channels: ['email'], after: 600, unless: 'read' }],
};

/** The fake service has a workflow with two versions. */
function open(address: string, more: Answers = {}) {
  return openAt(address, {
    'GET /v1/categories': () => NONE,
    'GET /v1/workflows/shipped': ({ query }) => ({
      ...head,
      version: Number(query.get('version') ?? 1),
      ...content,
    }),
    'PUT /v1/workflows/shipped': () => ({ ...head, latest_version: 3, version: 3 }),
    'POST /v1/workflows/shipped/publish': ({ body }) => ({
      ...head,
      published_version: (body as { version: number | null }).version,
    }),
    ...more,
  });
}

test('saves a form with steps as an unpublished version', async () => {
  const { user, bodies, address } = open('/notifications/workflows/shipped');
  const first = within(await screen.findByRole('group', { name: 'Step 1' }));
  expect(first.getByLabelText('Seconds after')).toHaveProperty('value', '600');
  expect(first.getByLabelText('Unless')).toHaveProperty('value', 'read');
  await user.click(screen.getByRole('button', { name: 'Add step' }));
  const second = within(screen.getByRole('group', { name: 'Step 2' }));
  await user.click(second.getByLabelText('Chat'));
  await user.type(second.getByLabelText('Seconds after'), '3600');
  await user.selectOptions(screen.getByLabelText('When several sends have the same target'), 'throttle');
  await user.type(screen.getByLabelText('Seconds'), '60');
  await user.click(screen.getByRole('button', { name: 'Save version' }));
  await screen.findByText('Saved as version 3');
  expect(bodies('PUT /v1/workflows/shipped')).toEqual([
    {
      ...content,
      steps: [...content.steps, { channels: ['chat'], after: 3600 }],
      throttle: { per: 60 },
      publish: false,
    },
  ]);
  expect(address()).toContain('version=3');
});

test('publishes the version that is open, and shows why the service refused a change', async () => {
  const { user, bodies } = open('/notifications/workflows/shipped?version=2', {
    'PUT /v1/workflows/shipped': () =>
      Response.json({ error: '/template/id: has no published version' }, { status: 400 }),
  });
  await user.click(await screen.findByRole('button', { name: 'Publish version 2' }));
  await screen.findByText('Published version 2');
  expect(bodies('POST /v1/workflows/shipped/publish')).toEqual([{ version: 2 }]);
  await user.type(screen.getByLabelText('Template'), '-2');
  await user.click(screen.getByRole('button', { name: 'Save version' }));
  await screen.findByText(/has no published version/);
});

test('a new workflow needs an id and a template', async () => {
  const { user, bodies, address } = open('/notifications/workflows', {
    'GET /v1/workflows': () => NONE,
    'GET /v1/workflows/digest': () => Response.json({ error: 'there is none' }, { status: 404 }),
    'PUT /v1/workflows/digest': () => ({ ...head, workflow_id: 'digest', version: 1 }),
  });
  await screen.findByText('No workflows yet');
  await user.click(screen.getByRole('button', { name: 'Create workflow' }));
  const dialog = within(screen.getByRole('dialog'));
  await user.type(dialog.getByLabelText('Id'), 'digest');
  await user.type(dialog.getByLabelText('Template'), 'order');
  await user.click(dialog.getByRole('button', { name: 'Create workflow' }));
  await screen.findByText(/there is none/);
  expect(bodies('PUT /v1/workflows/digest')).toEqual([{ template: { id: 'order' }, publish: false }]);
  expect(address()).toBe('/notifications/workflows/digest');
});
