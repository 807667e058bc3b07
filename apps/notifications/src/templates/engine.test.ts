// What a template may do, and every way known to read, to loop and to grow.
import { describe, expect, test } from '@jest/globals';
import { parseTemplate, renderBudget, renderTemplate, TemplateProblem, type Format } from './engine.ts';

function render(source: string, data: object = {}, format: Format = 'text', charsMax = 10_000): string {
  return renderTemplate(format, source, data, charsMax, renderBudget('one'));
}

function problem(source: string, data: object = {}, charsMax = 10_000): string {
  const startedMs = performance.now();
  try {
    render(source, data, 'text', charsMax);
  } catch (error) {
    expect(error).toBeInstanceOf(TemplateProblem);
    expect(performance.now() - startedMs).toBeLessThan(3_000);
    return (error as Error).message;
  }
  throw new Error(`no problem in ${source.slice(0, 100)}`);
}

describe('what it may do', () => {
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

  test('in HTML what data brings is escaped, unless the template says raw', () => {
    const data = { name: '<script>alert("x")</script>' };
    expect(render('<p>{{ name }}</p>', data, 'html')).toBe(
      '<p>&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;</p>',
    );
    expect(render('{{ name | raw }}', { name: '<b>x</b>' }, 'html')).toBe('<b>x</b>');
  });

  test('what the data lacks is an error that names it', () => {
    expect(problem('Hello {{ user.name }}', { user: {} })).toContain('user.name');
    expect(problem('Hello {{ name }}')).toContain('name');
  });
});

describe('what it may not', () => {
  test.each(['include', 'render', 'layout', 'block', 'capture', 'tablerow', 'liquid', 'increment'])(
    'the tag %s does not exist',
    (tag) => {
      expect(() => parseTemplate('text', `{% ${tag} "/etc/passwd" %}`)).toThrow(TemplateProblem);
    },
  );

  test.each(['strip_html', 'replace_first', 'where_exp', 'group_by', 'base64_decode', 'sha256'])(
    'the filter %s does not exist',
    (filter) => {
      expect(() => parseTemplate('text', `{{ "x" | ${filter} }}`)).toThrow('undefined filter');
    },
  );

  test('prototypes, functions and the process are out of reach', () => {
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
    ['a range without end', '{% for i in (1..1000000000) %}x{% endfor %}', 'too much text'],
    [
      'loops in loops',
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
    ['deep nesting', '{% if x %}'.repeat(20_000) + '{% endif %}'.repeat(20_000), ''],
    ['a deep chain', `{{ x${'.a'.repeat(50_000)} }}`, ''],
    ['many filters', `{{ t${' | append: t'.repeat(20_000)} }}`, ''],
  ])('%s ends', (_what, source, says) => {
    expect(problem(source, { l: list, t: 'x'.repeat(5_000), x: {} })).toContain(says);
  });

  test('sends of one request share what they may take', () => {
    const budget = renderBudget('many');
    const source = '{% for a in l %}{{ a }}{% endfor %}';
    const all = () => {
      for (let count = 0; count < 1_000; count += 1)
        renderTemplate('text', source, { l: list }, 10_000, budget);
    };
    expect(all).toThrow('steps');
  });
});
