// `npm run demo`: one whole story over public HTTP and the queues
// (docs/platform.md#development-stack): a flow is written and published, a caller talks to it, the
// conversation appears in the voice API, signed webhooks arrive, another conversation goes wrong
// and is explained, the flow is mended, a notification reaches the inbox, the mailbox and a
// browser. Ends with status 0 only when every step was seen to happen.
import { join } from 'node:path';
import { playStory } from '../demo-story.ts';
import { runCommand } from '../run-command.ts';
import { withStack } from '../with-stack.ts';

await runCommand((context) =>
  withStack(context, async (services, signal) => {
    const { print } = context;
    const started = performance.now();
    await playStory({
      services,
      mailDir: context.env['EMAIL_CAPTURE_DIR'] || join(context.home, 'mail'),
      storyId: Date.now().toString(36),
      signal,
      print,
    });
    print(`\nThe whole story was seen, in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
    return 0;
  }),
);
