// Applies the migrations of one service to its database. Called by the launcher, the operator command line and the test templates.
import { withSchemaEngine } from './schema-engine.ts';
