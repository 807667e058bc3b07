import { migrationsSuite } from '@parley/testkit/migrations-suite';

migrationsSuite('notifications');
