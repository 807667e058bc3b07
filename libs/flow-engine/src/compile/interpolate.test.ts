// Templates: texts, typed values, and faults in a template.
import { describe, expect, test } from '@jest/globals';
import { compileTemplate, compileValue, renderValue } from './interpolate.ts';
import { limits } from '../define/limits.ts';
import type { Scope } from '../read/paths.ts';
import { parseTemplate } from './template-syntax.ts';
import { uncounted } from '../read/turn-budget.ts';

const scope: Scope = {
  variables: {
    name: 'Ada',
    empty: '',
    nothing: null,
    zero: 0,
    yes: true,
    order: { items: [{ name: 'tea' }], total: 2 },
    list: ['a', 'b'],
    sly: '{{ name }}',
    dollars: '$& $1 $$',
  },
  userInput: 'hi',
  inputStatus: null,
  attempts: null,
  language: null,
  session: null,
  turn: { nowMs: 0 },
  budget: uncounted,
};
const render = (text: string) => compileTemplate(text)(scope);

describe('texts', () => {
  test.each([
    ['plain', 'plain'],
    ['', ''],
    ['Hi {{ name }}!', 'Hi Ada!'],
    ['{{name}}{{ name}}{{name }}', 'AdaAdaAda'],
    ['{{ order.items[0].name }}', 'tea'],
    ['{{ zero }} {{ yes }}', '0 true'],
    ['[{{ absent }}{{ nothing }}{{ empty }}]', '[]'],
    ['{{ order }}', '{"items":[{"name":"tea"}],"total":2}'],
    ['{{ list }}', '["a","b"]'],
    ['You said {{ user_input }}', 'You said hi'],
    ['{ name } {{{ name }}}', '{ name } {{{ name }}}'],
    ['a }} b', 'a }} b'],
    ['{{ dollars }}', '$& $1 $$'],
  ])('%j', (text, expected) => expect(render(text)).toBe(expected));

  test.each([
    ['{{ absent | default: "there" }}', 'there'],
    ["{{ nothing | default: 'there' }}", 'there'],
    ['{{ empty | default: "there" }}', 'there'],
    ['{{ name | default: "there" }}', 'Ada'],
    ['{{ zero | default: "none" }}', '0'],
    ['{{ absent|default:there }}', 'there'],
    ['{{ absent | default: "a }} b | c" }}!', 'a }} b | c!'],
    ['{{ absent | default: "" }}', ''],
    ['{{ absent | default: name }}', 'Ada'],
    ['{{ absent | default: "name" }}', 'name'],
    ['{{ absent | default: order.total }}', '2'],
    ['{{ absent | default: name | upper }}', 'ADA'],
    ['{{ absent | upper | default: "there" }}', 'there'],
  ])('default: %j', (text, expected) => expect(render(text)).toBe(expected));

  test.each([
    ["say {{ '{{' }} name }}", 'say {{ name }}'],
    ['{{ "}}" }}', '}}'],
    [`{{ '' }}`, ''],
  ])('a text in quotes is said as it is: %j', (text, expected) => {
    expect(parseTemplate(text).problems).toEqual([]);
    expect(render(text)).toBe(expected);
  });

  test('the value of a variable is never expanded again', () => {
    expect(render('{{ sly }}')).toBe('{{ name }}');
    expect(render('{{ sly }}{{ sly }}')).toBe('{{ name }}{{ name }}');
  });

  test('a rendered text has a maximum length', () => {
    const long: Scope = { ...scope, variables: { long: 'x'.repeat(60_000) } };
    expect(compileTemplate('{{ long }}{{ long }}{{ long }}')(long)).toHaveLength(limits.renderedCharsMax);
  });

  test('values that JSON cannot write read as ""', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(compileTemplate('[{{ cycle }}{{ big }}]')({ ...scope, variables: { cycle, big: [1n] } })).toBe(
      '[]',
    );
  });
});

describe('faults', () => {
  test.each([
    ['{{ }}', 0],
    ['ab {{ a..b }}', 3],
    ['{{ name | shout }}', 0],
    ['{{ name | upper: "x" }}', 0],
    ['{{ name | date: "soon" }}', 0],
    ['{{ name | currency }}', 0],
    ['{{ name | currency: "euro" }}', 0],
    ['{{ name || upper }}', 0],
    [`{{ name${' | upper'.repeat(9)} }}`, 0],
    ['{{ name | default }}', 0],
    ['{{ name | default: }}', 0],
    ['{{ name | default: "a" b }}', 0],
    ['{{ name', 0],
    ['{{ name | default: "open }}', 0],
    ['{{ {{ name }} }}', 0],
  ])('%j stays as it is written and is reported', (text, at) => {
    expect(parseTemplate(text).problems).toEqual([{ at, message: expect.any(String) }]);
    expect(render(text)).toBe(text);
  });

  test.each(['{{ name, }}', '{{ a + b }}', '{{ f(x) }}', '{{ a - b }}', '{{ !a }}'])(
    '%j is reported, and read as the name that it stands for',
    (text) => {
      expect(parseTemplate(text).problems).toEqual([
        { at: 0, message: expect.stringMatching(/^Not a path/) },
      ]);
      const name = text.slice(3, -3);
      expect(compileTemplate(text)({ ...scope, variables: { [name]: 'as before' } })).toBe('as before');
    },
  );

  test('a fault does not affect other placeholders', () =>
    expect(render('{{ }} {{ name }}')).toBe('{{ }} Ada'));

  test('a text of nothing but openings is read in one pass', () => {
    const started = process.cpuUsage();
    parseTemplate('{{'.repeat(500_000));
    parseTemplate('{{ a | default: "'.repeat(60_000));
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(1000);
  });
});

describe('values', () => {
  const value = (authored: unknown, onMissing: '' | null = '') =>
    renderValue(compileValue(authored, onMissing), scope);

  test('a text that is exactly one placeholder keeps the type', () => {
    expect(value('{{ zero }}')).toBe(0);
    expect(value('{{ yes }}')).toBe(true);
    expect(value('{{ order }}')).toBe(scope.variables['order']);
    expect(value('{{ list | default: "x" }}')).toEqual(['a', 'b']);
    expect(value(' {{ zero }}')).toBe(' 0');
  });

  test('a missing variable becomes the value of the context', () => {
    expect(value('{{ absent }}')).toBe('');
    expect(value('{{ absent }}', null)).toBeNull();
    expect(value('{{ absent | default: "x" }}', null)).toBe('x');
  });

  test('renders all levels of objects and lists, but no keys', () => {
    const authored = { to: '{{ name }}', deep: [{ n: '{{ zero }}', fixed: 1 }], '{{ name }}': null };
    expect(value(authored)).toEqual({ to: 'Ada', deep: [{ n: 0, fixed: 1 }], '{{ name }}': null });
  });

  test('a value without placeholders is the authored one', () => {
    const authored = { a: [1, { b: 'x' }] };
    expect(value(authored)).toBe(authored);
  });

  test('members of any name are built as members', () => {
    const authored: unknown = JSON.parse('{"__proto__": {"admin": true}, "a": "{{ name }}"}');
    const built = value(authored) as Record<string, unknown>;
    expect(JSON.stringify(built)).toBe('{"__proto__":{"admin":true},"a":"Ada"}');
    expect(built['admin']).toBeUndefined();
  });

  test('very deep nesting is cut off', () => {
    let authored: unknown = '{{ name }}';
    for (let level = 0; level < 10_000; level++) authored = [authored];
    expect(() => value(authored)).not.toThrow();
  });
});
