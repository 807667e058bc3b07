// Keys that a distributing Postgres needs: each begins with the organisation, or the table is named
// here with its reason (docs/scale.md#sharding).
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const SERVICES = ['flow-builder', 'voice-api', 'notifications'];

/** Tables with a key that does not begin with `organization_id`. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  'of the installation: the same on every node': ['data_keys', 'database_epochs'],
  'one row for an organisation, whose id is the key': ['organizations'],
  'looked up by a secret, before the organisation is known': ['api_keys', 'import_tokens', 'stream_tickets'],
  'ids that Parley makes, unique in all organisations': [
    'alerts',
    'applications',
    'audit_log',
    'flow_publications',
    'import_reports',
    'in_app_changes',
    'in_app_items',
    'journal_entries',
    'model_providers',
    'model_settings',
    'notifications',
    'push_subscriptions',
    'recipients',
    'recording_stores',
    'shared_contents',
    'suppressions',
    'webhook_events',
    'webhooks',
  ],
  'one row, or a few, for a row with such an id': [
    'deliveries',
    'delivery_attempts',
    'digest_items',
    'digests',
    'engaged_readers',
    'engagements',
    'notification_callbacks',
    'push_chunks',
    'push_fanouts',
    'push_retries',
    'recording_copies',
    'recurring_sends',
    'topic_sends',
    'webhook_deliveries',
    'webhook_delivery_attempts',
    'webhook_delivery_batches',
    'webhook_delivery_orders',
  ],
  'messages between services, identified by the producer': ['handovers', 'inbox', 'outbox'],
  'numbered in the order of arrival, and deleted within seconds': ['flow_step_facts'],
};

/** Rows of one organisation refer to each other by ids that Parley made. */
const REFERENCES_BY_ID = [
  'delivery_attempts',
  'deliveries',
  'digest_items',
  'digests',
  'engaged_readers',
  'engagements',
  'in_app_receipts',
  'notification_callbacks',
  'push_chunks',
  'push_history',
  'push_retries',
  'recurring_sends',
  'sent_mails',
  'topic_sends',
];

/** Sequences: none is without gaps, and none orders more than its own table. */
const SEQUENCES = ['analytics_facts', 'flow_step_facts', 'in_app_changes'];

interface Table {
  readonly name: string;
  readonly keys: readonly (readonly string[])[];
  readonly references: readonly (readonly string[])[];
  readonly hasSequence: boolean;
}

function readTables(schema: string): Table[] {
  return [...schema.matchAll(/^model \w+ \{\n(.*?)^\}/gms)].map(([, body = '']) => {
    const columns = new Map(
      [...body.matchAll(/^ {2}(\w+) .*?@map\("(\w+)"\)/gm)].map(([, field, column]) => [field, column]),
    );
    const toColumns = (fields: string) =>
      fields.split(/,\s*/).map((field) => columns.get(field.trim()) ?? field.trim());
    const lists = (pattern: RegExp) =>
      [...body.matchAll(pattern)].map(([, fields = '']) => toColumns(fields));
    return {
      name: /@@map\("(\w+)"\)/.exec(body)![1]!,
      keys: [...lists(/^ {2}(\w+) .*@(?:id|unique)\b/gm), ...lists(/@@(?:id|unique)\(\[(.*?)\]/g)],
      references: lists(/@relation\(fields: \[(.*?)\]/g),
      hasSequence: body.includes('autoincrement()'),
    };
  });
}

const tables = SERVICES.flatMap((service) =>
  readTables(readFileSync(new URL(`../prisma/${service}/schema.prisma`, import.meta.url), 'utf8')),
);
const namesOf = (found: readonly Table[]) => [...new Set(found.map(({ name }) => name))].sort();
const lacksOrganization = (columns: readonly string[]) => !columns.includes('organization_id');

test('every key begins with the organisation, or its table is listed with a reason', () => {
  expect(tables.length).toBeGreaterThan(80);
  for (const { name, keys } of tables) expect([name, keys.length]).not.toEqual([name, 0]);
  const others = tables.filter(({ keys }) => keys.some(([first]) => first !== 'organization_id'));
  expect(namesOf(others)).toEqual(Object.values(EXCEPTIONS).flat().sort());
});

test('a foreign key has the organisation, or leads to a row that the same request wrote', () => {
  const byId = tables.filter(({ references }) => references.some(lacksOrganization));
  expect(namesOf(byId)).toEqual([...REFERENCES_BY_ID].sort());
});

test('no sequence is shared by tables', () => {
  expect(namesOf(tables.filter(({ hasSequence }) => hasSequence))).toEqual(SEQUENCES);
});

test('a key without the organisation is found', () => {
  const [table] = readTables(
    'model Note {\n  id String @id\n  userId String @map("user_id")\n  noteId String @map("note_id")\n\n' +
      '  note Note @relation(fields: [noteId], references: [id])\n\n  @@unique([userId, id])\n  @@map("notes")\n}\n',
  );
  expect(table).toEqual({
    name: 'notes',
    keys: [['id'], ['user_id', 'id']],
    references: [['note_id']],
    hasSequence: false,
  });
});
