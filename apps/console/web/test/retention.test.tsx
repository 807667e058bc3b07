import { expect, test } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { openAt } from './page-under-test.tsx';

const rule = (days: number | null, set_by: string, reason: string) => ({ days, set_by, reason });
const none = rule(null, 'installation', 'The installation sets no limit');
const RETENTION = {
  bot_id: null,
  transcript: { days: 30, reason: 'Privacy notice' },
  effective: {
    transcript: rule(30, 'organization', 'Privacy notice'),
    recorded_turns: none,
    recording: none,
    raw_reports: none,
    delivery_bodies: rule(30, 'installation', 'The delivery log is stored for 30 days'),
    redact_transcripts: false,
  },
  updated_at: null,
  updated_by: null,
};
const KEY = { id: 'key', name: 'x', scopes: ['admin'], bot_ids: [] };

test('shows each rule with its reason, and saves changed ones', async () => {
  const ok = (data: object) => () => ({ success: true, data });
  const { bodies } = openAt(
    '/organization/retention',
    {
      'GET /v1/retention': ok(RETENTION),
      'GET /v1/bots': ok({ items: [], next_cursor: null, has_more: false }),
      'GET /v1/api-keys/me': ok(KEY),
      'PUT /v1/retention': ok(RETENTION),
    },
    { services: ['voice-api'], services_here: ['voice-api'] },
  );
  expect(await screen.findByText('30 days, set by the organisation: Privacy notice')).toBeTruthy();
  const links = screen.getByRole('group', { name: 'Recordings' });
  fireEvent.change(within(links).getByLabelText('Rule'), { target: { value: 'forever' } });
  fireEvent.change(within(links).getByLabelText('Reason'), { target: { value: 'Contract' } });
  fireEvent.change(screen.getByLabelText('Copies'), { target: { value: 'bucket' } });
  for (const [label, value] of [
    ['Address of the store', 'https://s3.eu-central-1.amazonaws.com'],
    ['Region', 'eu-central-1'],
    ['Bucket', 'acme-calls'],
    ['Access key id', 'AKIA1'],
    ['Secret access key', 'secret://calls'],
  ] as const)
    fireEvent.change(screen.getByLabelText(label), { target: { value } });
  fireEvent.change(screen.getByLabelText('Redact transcripts'), { target: { value: 'true' } });
  fireEvent.click(await screen.findByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(bodies('PUT /v1/retention')).toEqual([
      {
        transcript: { days: 30, reason: 'Privacy notice' },
        recording: { days: null, reason: 'Contract' },
        redact_transcripts: true,
        recording_storage: {
          endpoint: 'https://s3.eu-central-1.amazonaws.com',
          region: 'eu-central-1',
          bucket: 'acme-calls',
          prefix: '',
          access_key_id: 'AKIA1',
          secret_access_key: 'secret://calls',
        },
      },
    ]),
  );
});
