import { expect, test } from '@jest/globals';
import { textAt, variablesIn, withSamples, withTextAt } from './variables.rules.ts';

const TEXT = `{{ name | upcase }} {% if order.paid %}{{ order.id }}{% endif %} {{ order }}
  {% for tag in tags %}{{ tag }}{% endfor %} {% for item in items %}{{ item.title }}{% endfor %}
  {% assign own = 1 %}{{ own }} {{ recipient.attributes.name }} {{ unsubscribe_url }}`;

test('finds what a send passes, and how it is filled in', () => {
  expect(variablesIn([TEXT, '{{ name }} {{ broken', '{{ first[0] }}'])).toEqual([
    { path: ['name'], kind: 'text' },
    { path: ['order', 'paid'], kind: 'text' },
    { path: ['order', 'id'], kind: 'text' },
    { path: ['tags'], kind: 'lines' },
    { path: ['items'], kind: 'json' },
    { path: ['first'], kind: 'text' },
  ]);
});

test('fields read and write members of the data', () => {
  const id = { path: ['order', 'id'], kind: 'text' } as const;
  const tags = { path: ['tags'], kind: 'lines' } as const;
  const data = withTextAt(withTextAt({ other: 1 }, id, '17'), tags, 'a\nb');
  expect(data).toEqual({ other: 1, order: { id: '17' }, tags: ['a', 'b'] });
  expect([textAt(data, id), textAt(data, tags)]).toEqual(['17', 'a\nb']);
  expect(withTextAt(data, id, '')).toEqual({ other: 1, tags: ['a', 'b'] });
});

test('missing data has samples', () => {
  const variables = variablesIn([TEXT]);
  expect(withSamples({ name: 'Ada', order: { id: 1 } }, variables)).toEqual({
    name: 'Ada',
    order: { id: 1, paid: '[paid]' },
    tags: ['[tags]'],
    items: [],
  });
});
