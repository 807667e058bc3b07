import { migrationsSuite } from '@parley/testing/migrations-suite';

migrationsSuite('voice-api');
