// The first import of the page and of every worker. Zod otherwise tries `new Function`, which the
// content security policy refuses (docs/console.md#content-security-policy). Zod reads the setting
// when it creates a schema, so this runs before any module does.
import { config } from 'zod';

config({ jitless: true });
