// What a template may do, and every known way to read, loop or grow beyond the limits.
import { describe, expect, test } from '@jest/globals';
import { isSmallSource, parseTemplate, renderTemplate, TemplateProblem, type Format } from './engine.ts';
import { createMeter } from './meter.ts';

function render(source: string, data: object = {}, format: Format = 'text', charsMax = 10_000): string {
  return renderTemplate(format, source, data, charsMax, createMeter('send'));
}

function problem(source: string, data: object = {}, charsMax = 10_000): string {
  const from = process.cpuUsage();
  try {
    render(source, data, 'text', charsMax);
  } catch (error) {
    expect(error).toBeInstanceOf(TemplateProblem);
    expect(process.cpuUsage(from).user / 1_000).toBeLessThan(3_000);
    return (error as Error).message;
  }
  throw new Error(`no problem in ${source.slice(0, 100)}`);
}

describe('a template may', () => {
  test.each([
    ['Hello {{ name }}', { name: 'Ann' }, 'Hello Ann'],
    ['{{ user.name | upcase | append: "!" }}', { user: { name: 'ann' } }, 'ANN!'],
    [
      '{% for item in items %}{{ forloop.index }}. {{ item.name }}\n{% endfor %}',
      { items: [{ name: 'a' }, { name: 'b' }] },
      '1. a\n2. b\n',
    ],
    ['{% if vip %}Dear{% else %}Hi{% endif %}', {}, 'Hi'],
    ['{{ name | default: "friend" }}', {}, 'friend'],
    [
      '{{ at | date: "%d.%m.%Y %H:%M", "Europe/Berlin" }}',
      { at: '2026-03-29T00:30:00Z' },
      '29.03.2026 01:30',
    ],
    [
      '{{ prices | join: ", " }} {{ total | times: 1.5 | round: 2 }}',
      { prices: [1, 2], total: 3 },
      '1, 2 4.5',
    ],
    ['{{ list }}{{ one }}', { list: ['a', 1], one: { a: 1 } }, 'a1{"a":1}'],
    ['{{ "a<b" }}', {}, 'a<b'],
    ['{% raw %}{{ name }}{% endraw %}', {}, '{{ name }}'],
  ])('%j', (source, data, text) => expect(render(source, data)).toBe(text));

  test('in HTML, data is escaped unless the template says raw', () => {
    const data = { name: '<script>alert("x")</script>' };
    expect(render('<p>{{ name }}</p>', data, 'html')).toBe(
      '<p>&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;</p>',
    );
    expect(render('{{ name | raw }}', { name: '<b>x</b>' }, 'html')).toBe('<b>x</b>');
  });

  test('missing data is an error that names it', () => {
    expect(problem('Hello {{ user.name }}', { user: {} })).toContain('user.name');
    expect(problem('Hello {{ name }}')).toContain('name');
  });
});

describe('a template may not', () => {
  test.each(['include', 'layout', 'block', 'capture', 'tablerow', 'liquid', 'increment'])(
    'the tag %s does not exist',
    (tag) => {
      expect(() => parseTemplate('text', `{% ${tag} "/etc/passwd" %}`)).toThrow(TemplateProblem);
    },
  );

  test('render another template that the caller did not load, such as a file', () => {
    expect(problem('{% render "/etc/passwd" %}')).toContain('no published template');
    expect(() => parseTemplate('text', '{% render name %}')).toThrow('in quotes');
    expect(() => parseTemplate('text', '{% render "a{{ name }}" %}')).toThrow('in quotes');
  });

  test.each(['strip_html', 'replace_first', 'where_exp', 'group_by', 'base64_decode', 'sha256'])(
    'the filter %s does not exist',
    (filter) => {
      expect(() => parseTemplate('text', `{{ "x" | ${filter} }}`)).toThrow('undefined filter');
    },
  );

  test('prototypes, functions and the process are unreachable', () => {
    for (const source of [
      '{{ a.constructor }}',
      '{{ a.__proto__.polluted }}',
      '{{ a.toString }}',
      '{{ process.env }}',
      '{{ globalThis }}',
      '{{ constructor.constructor }}',
    ])
      expect(problem(source, { a: { b: 1 } })).toContain('undefined variable');
  });

  const list = Array.from({ length: 1_000 }, (_, index) => index);
  test.each([
    [
      'an endless range',
      '{% for i in (1..1000000000) %}x{% endfor %}',
      'a range has more than 10000 members',
    ],
    [
      'nested loops',
      '{% for a in l %}{% for b in l %}{% for c in l %}{% endfor %}{% endfor %}{% endfor %}',
      'steps',
    ],
    [
      'loops that assign',
      '{% for a in l %}{% for b in l %}{% assign x = b %}{% endfor %}{% endfor %}',
      'steps',
    ],
    [
      'doubling',
      `{% assign a = "xxxxxxxxxx" %}${'{% assign a = a | append: a %}'.repeat(60)}`,
      'too much text',
    ],
    [
      'doubling by lists',
      `{% assign a = l %}${'{% assign a = a | concat: a %}'.repeat(60)}`,
      'too much text',
    ],
    [
      'doubling by replacing',
      `{% assign a = "xxxx" %}${'{% assign a = a | replace: "x", a %}'.repeat(20)}`,
      'too much text',
    ],
    [
      'doubling by joining',
      `{% assign a = "x" %}${'{% assign a = l | join: a %}'.repeat(20)}`,
      'too much text',
    ],
    ['padding', '{{ "now" | date: "%1000000000Y" }}', 'too much text'],
    [
      'searching long texts',
      `{% assign a = t | append: t %}{% for i in l %}{% if a contains "y" %}{% endif %}{% endfor %}`,
      'too much text',
    ],
    ['much output', '{% for i in l %}{{ t }}{% endfor %}', 'longer than 10000'],
    ['deep nesting', '{% if x %}'.repeat(20_000) + '{% endif %}'.repeat(20_000), 'nests more than 100'],
    ['deep nesting beside text', '( {%- if x -%}'.repeat(101), 'nests more than 100'],
    ['deep brackets', `{{ x${'[x'.repeat(20_000)}${']'.repeat(20_000)} }}`, 'nests more than 100'],
    ['a deep chain', `{{ x${'.a'.repeat(50_000)} }}`, ''],
    ['many filters', `{{ t${' | append: t'.repeat(20_000)} }}`, ''],
  ])('%s ends', (_what, source, says) => {
    expect(problem(source, { l: list, t: 'x'.repeat(5_000), x: {} })).toContain(says);
  });
});

test('a hundred blocks in each other are allowed, and any brackets in plain text', () => {
  const blocks = '{% if true %}'.repeat(100) + 'x' + '{% endif %}'.repeat(100);
  expect(render(`${blocks}${blocks}${'(['.repeat(200)}`)).toBe(`xx${'(['.repeat(200)}`);
});

const long = '(1..10001)';

describe('a range has at most 10,000 members in any place', () => {
  test.each([
    `{% for i in ${long} offset:9999 %}{% endfor %}x`,
    `{{ ${long} | join: "" | size }}`,
    `{{ ${long} | size }}`,
    `{{ "a" | append: ${long} }}`,
    `{% assign a = ${long} %}x`,
    `{% if ${long} contains 3 %}x{% endif %}`,
    `{% case 3 %}{% when ${long} %}x{% endcase %}`,
    `{% cycle ${long}, 3 %}`,
    `{% for i in (1..3) limit:${long} %}{% endfor %}`,
    '{% for i in (a..b) %}{% endfor %}',
    '{% echo (a..b) | sort %}',
  ])('%s', (source) => {
    for (const format of ['text', 'html'] as const)
      expect(() => render(source, { a: -5_000, b: '6000' }, format)).toThrow('a range has more than 10000');
  });

  test('10,000 members are allowed', () => {
    expect(render('{{ (1..10000) | size }}{{ (3..1) | size }}{{ ("x"..2) | size }}')).toBe('1000000');
  });
});

describe('our meter and that of LiquidJS count', () => {
  const count = (source: string, data: object = {}) => {
    const meter = createMeter('send');
    renderTemplate('text', source, data, 100_000, meter);
    return meter;
  };

  test('every iteration and output', () => {
    const idle = count('x');
    const { steps, librarySteps } = count('{% for i in (1..50) %}{% if i %}{{ i }}{% endif %}{% endfor %}');
    expect(steps - idle.steps).toBeGreaterThanOrEqual(150);
    expect(librarySteps - idle.librarySteps).toBeGreaterThanOrEqual(150);
    expect(count('{% for i in (1..50) %}{% endfor %}x').steps).toBeGreaterThanOrEqual(50);
  });

  test('every range, comparison and write', () => {
    expect(count('{% for i in (1..500) limit:1 %}{% endfor %}x').work).toBeGreaterThanOrEqual(500);
    expect(count('{% for i in (1..500) limit:1 %}{% endfor %}x').libraryWork).toBeGreaterThanOrEqual(500);
    const l = Array.from({ length: 300 }, (_, place) => place);
    for (const operator of ['==', '!=', 'contains', '<', '>', '<=', '>='])
      expect(count(`{% if l ${operator} m %}{% endif %}x`, { l, m: [...l] }).work).toBeGreaterThanOrEqual(
        600,
      );
    expect(count('{{ t }}', { t: 'x'.repeat(900) }).work).toBeGreaterThanOrEqual(900);
  });

  const text = 'a&b '.repeat(100);
  test.each(
    `append:"x" capitalize date:"%Y" default:"x" downcase escape escape_once first join:"x" json last lstrip
     map:"length" newline_to_br prepend:"x" raw remove:"x" replace:"a","b" reverse rstrip size slice:0,9 sort split:"x" strip
     strip_newlines sum truncate:9 truncatewords:2 uniq upcase url_encode abs at_least:1 at_most:1 ceil compact concat:t
     divided_by:2 floor minus:1 modulo:2 plus:1 round times:2`.split(/\s+/),
  )('the input of the filter %s', (filter) => {
    expect(count(`{{ t | ${filter} | size }}`, { t: text }).work).toBeGreaterThanOrEqual(text.length);
  });
});

describe('may be rendered on the request thread', () => {
  const isPlain = (source: string) => parseTemplate('html', source).isPlain;

  test.each(['Hello {{ name }}', '{% if a %}{{ b | upcase }}{% else %}{{ c | date: "%d" }}{% endif %}'])(
    '%s',
    (source) => expect(isPlain(source) && isSmallSource(source)).toBe(true),
  );
  test.each([
    '{% for i in l %}{{ i }}{% endfor %}',
    '{{ (1..3) }}',
    '{% if a %}{% if b %}{{ (1..c) | size }}{% endif %}{% endif %}',
    '{{ a | sort }}',
    '{{ a | url_encode | url_encode }}',
    '{{ a | append: a }}',
    '{% cycle "a", "b" %}',
    '{% case a %}{% when b %}{% endcase %}',
  ])('not %s', (source) => expect(isPlain(source)).toBe(false));
  test.each([
    '{{ a }}'.repeat(41),
    `{{ a${' | upcase'.repeat(300)} }}`,
    'x'.repeat(40_000),
    '{{'.repeat(5_000),
  ])('nor a source that takes long to parse', (source) => expect(isSmallSource(source)).toBe(false));
});
