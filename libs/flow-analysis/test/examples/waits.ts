// Examples of the code about nodes that wait for their caller.
import type { Definition, ExamplesByCode } from './pieces.ts';
import { agent, ask, end, flow, handoff, say, to, tool, when } from './pieces.ts';

type Node = ReturnType<typeof end>;

const left = (node: Node): Definition => flow([node, end()], [to(node.id, 'end')]);

/** A tool whose result has a `table` with a `name`, and an end that says this. */
const booked = (text: string, output_schema: unknown = tableSchema): Definition =>
  flow(
    [tool('t', 'booking', { wait_for_result: true, output_schema }), end('end', { text })],
    [to('t', 'end')],
  );
const tableSchema = {
  type: 'object',
  properties: {
    table: { type: 'object', properties: { name: { type: 'string' } } },
    guests: { type: 'array', items: { type: 'object', properties: { name: {} } } },
    note: {},
  },
  required: ['table'],
};
const advised = (text: string): Definition =>
  flow([agent('a', { goal: 'Advise' }), end('end', { text })], [to('a', 'end')]);

export const waits = {
  output_schema_invalid: {
    shown: [
      { because: 'a text', flow: booked('Done', 'table'), at: '/nodes/0/output_schema', severity: 'error' },
      {
        because: 'no list of names',
        flow: booked('Done', { required: 'table' }),
        at: '/nodes/0/output_schema',
        severity: 'error',
      },
      {
        because: 'a message has no result',
        flow: left(say('m', { text: 'Hi', output_schema: tableSchema })),
        at: '/nodes/0/output_schema',
        severity: 'warning',
      },
    ],
    notShown: [
      { because: 'a schema', flow: booked('Done') },
      { because: 'an unused member', flow: booked('Done', null) },
      { because: 'a schema that says nothing', flow: booked('Done', {}) },
    ],
  },
  result_member_unknown: {
    shown: [
      {
        because: 'a member with another name',
        flow: booked('Table {{ booking.tabel.name }}.'),
        at: '/nodes/1/text',
        severity: 'error',
      },
      {
        because: 'a member of a member',
        flow: booked('Table {{ booking.table.size }}.'),
        at: '/nodes/1/text',
        severity: 'error',
      },
      {
        because: 'a member of each element',
        flow: booked('For {{ booking.guests[0].age }}.'),
        at: '/nodes/1/text',
        severity: 'error',
      },
      {
        because: 'a member of a text',
        flow: booked('Table {{ booking.table.name.first }}.'),
        at: '/nodes/1/text',
        severity: 'error',
      },
      {
        because: 'a condition',
        flow: flow(
          [tool('t', 'booking', { wait_for_result: true, output_schema: tableSchema }), end(), end('no')],
          [when('t', 'end', 'booking.status', 'eq', 'ok'), to('t', 'no')],
        ),
        at: '/edges/0/variable',
        severity: 'error',
      },
      {
        because: 'no member of the outcome of an agent',
        flow: advised('{{ agent_result.anwser }}'),
        at: '/nodes/1/text',
        severity: 'warning',
      },
    ],
    notShown: [
      { because: 'declared members', flow: booked('{{ booking.table.name }} {{ booking.guests[0].name }}') },
      { because: 'an open member', flow: booked('{{ booking.note.by.whom }}') },
      { because: 'a default', flow: booked('{{ booking.tabel | default: "" }}') },
      { because: 'no schema', flow: booked('{{ booking.tabel }}', null) },
      {
        because: 'other members too',
        flow: booked('{{ booking.x }}', { properties: {}, additionalProperties: true }),
      },
      { because: 'a schema elsewhere', flow: booked('{{ booking.x }}', { $ref: '#/$defs/booking' }) },
      { because: 'the outcome of an agent', flow: advised('{{ agent_result.tool_calls[0].result.name }}') },
      {
        because: 'another node writes it',
        flow: flow(
          [
            tool('t', 'booking', {
              wait_for_result: true,
              output_schema: tableSchema,
              set: [{ variable: 'booking.people', to: 4 }],
            }),
            end('end', { text: 'For {{ booking.people }}.' }),
          ],
          [to('t', 'end')],
        ),
      },
    ],
  },
  wait_invalid: {
    shown: [
      {
        because: 'a text that says true',
        flow: left(tool('t', 'x', { wait_for_result: 'true' })),
        at: '/nodes/0/wait_for_result',
        severity: 'error',
      },
      {
        because: 'a number',
        flow: flow([handoff('h', { target: 'desk', returns: 1 })]),
        at: '/nodes/0/returns',
        severity: 'error',
      },
      {
        because: 'an agent does not wait so',
        flow: left({ id: 'a', type: 'agent', goal: 'Help', wait_for_result: true } as Node),
        at: '/nodes/0/wait_for_result',
        severity: 'warning',
      },
      {
        because: 'a tool does not return',
        flow: left(tool('t', 'x', { returns: true })),
        at: '/nodes/0/returns',
        severity: 'warning',
      },
    ],
    notShown: [
      { because: 'a tool that waits', flow: left(tool('t', 'x', { wait_for_result: true })) },
      { because: 'a tool that does not', flow: left(tool('t', 'x', { wait_for_result: false })) },
      { because: 'an unused member', flow: left(tool('t', 'x', { wait_for_result: null })) },
      { because: 'a handoff that returns', flow: left(handoff('h', { target: 'desk', returns: true })) },
      { because: 'data of an author', flow: left(say('m', { text: 'Hi', returns: '14 days' })) },
      { because: 'a question waits anyway', flow: left(ask('q', 'x', { returns: false })) },
    ],
  },
} as const satisfies ExamplesByCode;
