import { migrationsSuite } from '@parley/testing/migrations-suite';

migrationsSuite('flow-builder');
