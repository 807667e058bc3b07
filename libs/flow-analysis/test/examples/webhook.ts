// Examples of the codes about webhook nodes.
import { limits } from '@parley/flow-engine/define/limits';
import { end, flow, type Definition, type ExamplesByCode } from './pieces.ts';

const calling = (members: Record<string, unknown>, count = 1): Definition =>
  flow(
    [
      ...Array.from({ length: count }, (_, place) => ({
        id: `w${place}`,
        type: 'webhook',
        url: 'https://example.com/hook',
        ...members,
      })),
      end(),
    ],
    [],
  );
const headers = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, place) => [`x-${place}`, 'v']));

export const webhooks = {
  webhook_url_invalid: {
    shown: [
      ...[
        undefined,
        ' ',
        'not a url',
        'http://example.com',
        'https://user@example.com',
        'https://10.1.2.3/{{ id }}',
        'http://example.com/{{ id }}',
        `https://example.com/${'x'.repeat(limits.webhookUrlCharsMax)}`,
      ].map((url) => ({ because: String(url).slice(0, 40), flow: calling({ url }), at: '/nodes/0/url' })),
    ],
    notShown: [
      { because: 'public', flow: calling({}) },
      { because: 'a path with a placeholder', flow: calling({ url: 'https://example.com/{{ id }}' }) },
      { because: 'known only in a turn', flow: calling({ url: '{{ callback }}' }) },
      { because: 'a host with a placeholder', flow: calling({ url: 'https://{{ tenant }}.example.com/' }) },
    ],
  },
  webhook_headers_invalid: {
    shown: [
      {
        because: 'a name with a blank',
        flow: calling({ headers: { 'x y': 'v' } }),
        at: '/nodes/0/headers/x y',
      },
      { because: 'two lines', flow: calling({ headers: { x: 'a\nb' } }), at: '/nodes/0/headers/x' },
      { because: 'no text', flow: calling({ headers: { x: 1 } }), at: '/nodes/0/headers/x' },
      {
        because: 'too long',
        flow: calling({ headers: { x: 'v'.repeat(limits.webhookHeaderCharsMax + 1) } }),
        at: '/nodes/0/headers/x',
      },
      {
        because: 'too many',
        flow: calling({ headers: headers(limits.webhookHeadersMax + 1) }),
        at: '/nodes/0/headers',
      },
    ],
    notShown: [
      { because: 'as many as may be', flow: calling({ headers: headers(limits.webhookHeadersMax) }) },
      { because: 'a placeholder', flow: calling({ headers: { authorization: 'Bearer {{ token }}' } }) },
    ],
  },
  webhook_too_many: {
    shown: [
      {
        because: 'one more',
        flow: calling({}, limits.webhooksMax + 1),
        at: `/nodes/${limits.webhooksMax}`,
      },
    ],
    notShown: [{ because: 'as many as may be', flow: calling({}, limits.webhooksMax) }],
  },
} satisfies ExamplesByCode;
