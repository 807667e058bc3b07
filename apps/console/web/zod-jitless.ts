// The first import of the page and of every worker: zod otherwise tries `new Function`, which the policy of the page refuses and reports
// (docs/console.md#content-security-policy). The setting is read when a schema is made, so it stands before every module that makes one.
import { config } from 'zod';

config({ jitless: true });
