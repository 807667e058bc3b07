// `npm run test:receivers`: the sample receivers of the voice API's guide, in JavaScript (with the
// secret, and with the public key alone) and in Python, against a voice API that is started for the
// moment: real deliveries are verified and taken once, tampered ones are refused
// (docs/platform.md#tests).
import { join } from 'node:path';
import { startStack } from '../stack/index.ts';
import { requirePython } from '../require-python.ts';
import { runCommand } from '../run-command.ts';
import { withThrowaway } from '../throwaway.ts';
import { tryReceiver, type SampleReceiver } from '../try-receiver.ts';

await runCommand((context) =>
  withThrowaway(context, 'receivers', async ({ home, signal }) => {
    const { root, env, report, print } = context;
    await requirePython();
    const samples: SampleReceiver[] = [
      { name: 'receiver.mjs', program: process.execPath, args: [pathOf(root, 'receiver.mjs')] },
      {
        name: 'receiver-asymmetric.mjs',
        program: process.execPath,
        args: [pathOf(root, 'receiver-asymmetric.mjs')],
        asymmetric: true,
      },
      { name: 'receiver.py', program: 'python3', args: [pathOf(root, 'receiver.py')] },
    ];
    const options = { root, home: join(home, 'stack'), env, report, signal, throwaway: true };
    const stack = await startStack({ ...options, services: ['voice-api'] });
    try {
      for (const sample of samples)
        await report.step(
          `${sample.name} verifies, takes each event once, refuses what was tampered with`,
          () => tryReceiver(stack.services['voice-api'], sample, env, signal),
        );
    } finally {
      await stack.stop();
    }
    print(`\n${samples.length} passed, 0 failed`);
    return 0;
  }),
);

function pathOf(root: string, file: string): string {
  return join(root, 'apps', 'voice-api', 'test', 'receivers', file);
}
