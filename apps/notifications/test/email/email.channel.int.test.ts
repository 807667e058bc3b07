// Runs the channel suite for e-mail over SendGrid.
import { fakeSendGrid } from '@parley/testing';
import { channelGuarantees } from '../channel.suite.ts';

const KEY = 'SG.canary-sendgrid-key-7f3a9c.2b71e0';

channelGuarantees('email', async () => {
  const outside = await fakeSendGrid({ key: KEY });
  return {
    name: 'email',
    env: {
      SENDGRID_BASE_URL: outside.url,
      TEST_SENDGRID_KEY: KEY,
      SETTING_DEFAULTS: JSON.stringify({
        sendgrid_api_key: 'env://TEST_SENDGRID_KEY',
        email_from: 'Acme <alerts@acme.example>',
      }),
    },
    target: { email: 'ann@customer.example' },
    success: 'sent',
    afterHang: 'unknown',
    // email.int.test.ts tests 401 and 403: the secret is read again, and a new key gets another
    // try.
    finalStatuses: [400, 404, 406, 413],
    provider: {
      attempts: () => outside.requests.map(({ receivedAtMs }) => receivedAtMs),
      answers: (...answers) =>
        outside.script(
          ...answers.map((answer) =>
            typeof answer === 'string'
              ? answer
              : {
                  status: answer.status,
                  ...(answer.retryAfterSeconds === undefined
                    ? {}
                    : { headers: { 'retry-after': String(answer.retryAfterSeconds) } }),
                  ...(answer.body === undefined ? {} : { body: { errors: [{ message: answer.body }] } }),
                },
          ),
        ),
    },
    secrets: [KEY],
    close: () => outside.close(),
  };
});
