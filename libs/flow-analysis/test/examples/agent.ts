// Examples of the codes about autonomous nodes, and about bounds.
import type { ExamplesByCode } from './pieces.ts';
import { agent, ask, dispatchTo, end, flow, say, to, withAgent } from './pieces.ts';

const naming = (model: unknown) =>
  flow([say('a'), end(), { id: 'all', type: 'global', model }], [to('a', 'end')]);

export const agents = {
  model_unknown: {
    shown: [
      { because: 'the settings list another one', flow: naming('huge'), at: '/nodes/2/model' },
      { because: 'it is no name', flow: naming(7), at: '/nodes/2/model' },
      { because: 'the name is empty', flow: naming(''), at: '/nodes/2/model' },
    ],
    notShown: [
      { because: 'the settings list it', flow: naming('small') },
      { because: 'null is no name', flow: naming(null) },
      {
        because: 'only the global node names one',
        flow: flow([say('a', { model: 'huge' }), end()], [to('a', 'end')]),
      },
    ],
  },
  dispatch_unknown_tool: {
    shown: [
      {
        because: 'misspelt',
        flow: withAgent({ tools: ['pay'], tool_dispatch: { pya: { url: 'https://api.example.com' } } }),
        at: '/nodes/0/tool_dispatch/pya',
      },
      {
        because: 'no tools at all',
        flow: withAgent({ tool_dispatch: { 'a/b': { url: 'https://api.example.com' } } }),
        at: '/nodes/0/tool_dispatch/a~1b',
      },
    ],
    notShown: [
      { because: 'named', flow: dispatchTo('https://api.example.com') },
      {
        because: 'named in the long form',
        flow: withAgent({
          tools: [{ type: 'function', function: { name: 'pay' } }],
          tool_dispatch: { pay: { url: 'https://api.example.com' } },
        }),
      },
      {
        because: 'only agents dispatch',
        flow: flow([say('a', { tool_dispatch: { x: 1 } }), end()], [to('a', 'end')]),
      },
    ],
  },
  tool_without_dispatch: {
    shown: [
      {
        because: 'no endpoint',
        flow: withAgent({
          tools: ['pay', { name: 'refund' }],
          tool_dispatch: { pay: { url: 'https://api.example.com' } },
        }),
        at: '/nodes/0/tools/1',
      },
      { because: 'no name', flow: withAgent({ tools: [{ description: 'pays' }] }), at: '/nodes/0/tools/0' },
    ],
    notShown: [
      { because: 'it has one', flow: dispatchTo('https://api.example.com') },
      { because: 'the built-in one needs none', flow: withAgent({ tools: ['goal_reached'] }) },
      {
        because: 'elsewhere tools are a binding',
        flow: flow([say('a', { tools: ['pay'] }), end()], [to('a', 'end')]),
      },
    ],
  },
  dispatch_url_invalid: {
    shown: [
      {
        because: 'no url',
        flow: withAgent({ tools: ['pay'], tool_dispatch: { pay: {} } }),
        at: '/nodes/0/tool_dispatch/pay',
      },
      {
        because: 'no object',
        flow: withAgent({ tools: ['pay'], tool_dispatch: { pay: null } }),
        at: '/nodes/0/tool_dispatch/pay',
      },
      ...[
        'not a url',
        'http://api.example.com',
        'https://user@api.example.com',
        'https://backend/pay',
        'https://pay.svc',
        'https://pay.localhost',
        'https://pay.local.',
        'https://metadata.google.internal',
        'https://127.0.0.1',
        'https://10.1.2.3',
        'https://0x7f.1/',
        'https://169.254.169.254/latest',
        'https://100.64.0.1',
        'https://224.0.0.1',
        'https://[::1]/',
        'https://[fd00::1]/',
        'https://[fe80::1]/',
        'https://[::ffff:8.8.8.8]/',
        'https://[64:ff9b::8.8.8.8]/',
        'https://[2002:808:808::1]/',
        'https://[2001:db8::1]/',
      ].map((url) => ({ because: url, flow: dispatchTo(url), at: '/nodes/0/tool_dispatch/pay/url' })),
    ],
    notShown: [
      'https://api.example.com',
      'https://api.example.com.:8443/pay?x=1',
      'https://localhost.example.com',
      'https://8.8.8.8/',
      'https://[2606:4700::1111]/',
    ].map((url) => ({ because: url, flow: dispatchTo(url) })),
  },
  bound_invalid: {
    shown: [
      { because: 'no iterations', flow: withAgent({ max_iterations: 0 }), at: '/nodes/0/max_iterations' },
      {
        because: 'half an iteration',
        flow: withAgent({ max_iterations: 1.5 }),
        at: '/nodes/0/max_iterations',
      },
      {
        because: 'more than the cap',
        flow: withAgent({ max_iterations: 26 }),
        at: '/nodes/0/max_iterations',
      },
      { because: 'no time', flow: withAgent({ turn_budget: 0 }), at: '/nodes/0/turn_budget' },
      { because: 'more than the cap', flow: withAgent({ turn_budget: 121 }), at: '/nodes/0/turn_budget' },
      {
        because: 'no attempts',
        flow: flow([ask('q', 'x', { max_attempts: 0 }), end()], [to('q', 'end')]),
        at: '/nodes/0/max_attempts',
      },
    ],
    notShown: [
      { because: 'at the caps', flow: withAgent({ max_iterations: 25, turn_budget: 120 }) },
      { because: 'half a second', flow: withAgent({ max_iterations: 1, turn_budget: 0.5 }) },
      { because: 'one attempt', flow: flow([ask('q', 'x', { max_attempts: 1 }), end()], [to('q', 'end')]) },
    ],
  },
  extraction_invalid: {
    shown: [
      {
        because: 'an agent that does not talk',
        flow: withAgent({ extraction: { variables: [{ name: 'car' }] } }),
        at: '/nodes/0/extraction',
      },
      {
        because: 'no name',
        flow: withAgent({ converse: true, extraction: { variables: [{ name: 'car' }, { type: 'string' }] } }),
        at: '/nodes/0/extraction/variables/1',
      },
      {
        because: 'an unknown type',
        flow: withAgent({ converse: true, extraction: { variables: [{ name: 'car', type: 'vehicle' }] } }),
        at: '/nodes/0/extraction/variables/0',
      },
      {
        because: 'a schema without properties',
        flow: flow([ask('q', 'x', { extraction: { type: 'object' } }), end()], [to('q', 'end')]),
        at: '/nodes/0/extraction',
      },
    ],
    notShown: [
      {
        because: 'an agent that talks',
        flow: withAgent({ converse: true, extraction: { variables: [{ name: 'car', type: 'integer' }] } }),
      },
      {
        because: 'a question with a schema',
        flow: flow(
          [ask('q', 'x', { extraction: { properties: { car: { type: 'string' } } } }), end()],
          [to('q', 'end')],
        ),
      },
    ],
  },
  context_var_unknown: {
    shown: [
      {
        because: 'nobody sets it',
        flow: withAgent({ context_vars: ['name'] }),
        at: '/nodes/0/context_vars/0',
      },
    ],
    notShown: [
      {
        because: 'an answer sets it',
        flow: flow(
          [ask('q', 'name'), agent('a', { context_vars: ['name'] }), end()],
          [to('q', 'a'), to('a', 'end')],
        ),
      },
      { because: 'the engine knows it', flow: withAgent({ context_vars: ['user_input'] }) },
    ],
  },
} satisfies ExamplesByCode;
