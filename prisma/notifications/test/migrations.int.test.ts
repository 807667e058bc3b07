import { expect, test } from '@jest/globals';
import { migrateRows, migrationsSuite } from '@parley/testing/migrations-suite';

migrationsSuite('notifications');

const AT = '2026-11-27T10:00:00Z';

test('workflows that stood among templates move with their versions, and templates stay', async () => {
  await migrateRows(
    'notifications',
    '20261128003000_workflow_tables',
    async (query) => {
      // A template and a workflow may have the same id.
      for (const [kind, latest] of [
        ['template', 1],
        ['workflow', 2],
      ]) {
        await query(
          `INSERT INTO templates (organization_id, kind, id, latest_version, published_version, created_at, updated_at)
           VALUES ('acme', $1, 'shipped', $2, 1, $3, $3)`,
          [kind, latest, AT],
        );
        await query(
          `INSERT INTO template_versions (organization_id, kind, template_id, version, content, hash, created_by, created_at)
           SELECT 'acme', $1::text, 'shipped', version, $1::text || version, '\\x01', 'ann', $3
           FROM generate_series(1, $2::int) AS version`,
          [kind, latest, AT],
        );
      }
    },
    async (query) => {
      expect(await query('SELECT * FROM workflows')).toEqual([
        {
          organization_id: 'acme',
          id: 'shipped',
          latest_version: 2,
          published_version: 1,
          created_at: new Date(AT),
          updated_at: new Date(AT),
        },
      ]);
      expect(
        await query(
          'SELECT workflow_id, version, content, created_by FROM workflow_versions ORDER BY version',
        ),
      ).toEqual([
        { workflow_id: 'shipped', version: 1, content: 'workflow1', created_by: 'ann' },
        { workflow_id: 'shipped', version: 2, content: 'workflow2', created_by: 'ann' },
      ]);
      expect(await query('SELECT id, latest_version FROM templates')).toEqual([
        { id: 'shipped', latest_version: 1 },
      ]);
      expect(await query('SELECT template_id, version, content FROM template_versions')).toEqual([
        { template_id: 'shipped', version: 1, content: 'template1' },
      ]);
    },
  );
});
