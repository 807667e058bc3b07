import { migrationsSuite } from '@parley/testkit/migrations-suite';

migrationsSuite('voice-api');
