// The three questions in process: our engine and the adaptive dialogs of the Bot Framework.
import { inChild } from '../in-child.ts';
import { serverFile } from '../http-load.ts';
import { SERVER_CORE, canPin, startPinned } from '../pinned-process.ts';
import { startEngine } from './bundled-engine.ts';
import { partWithPeer } from './packages.ts';
import { SAID } from './three-questions.ts';

const WINDOW_SECONDS = 1;
const RECORDED = 'Parley turn, recorded';
const TURN = 'Parley turn';
const DIALOGS = 'botbuilder adaptive dialogs';

export const dialogsPart = partWithPeer('botbuilder', async (folder, setting, measure) => {
  const pin = canPin();
  const engine = await startEngine(setting, pin);
  const dialogs = startPinned({
    file: serverFile('botbuilder-turns'),
    args: [folder, JSON.stringify(SAID)],
    core: SERVER_CORE,
    pin,
    env: { PATH: setting.env['PATH'], NODE_ENV: 'production' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  try {
    await measure({
      title: 'Three questions in process, without HTTP',
      operation: 'turn',
      windowSeconds: WINDOW_SECONDS,
      variants: [
        inChild(RECORDED, engine, (seconds) => ({ seconds, recorded: true })),
        inChild(TURN, engine, (seconds) => ({ seconds, recorded: false })),
        inChild(DIALOGS, dialogs, (seconds) => ({ seconds })),
      ],
      ratios: [
        { of: 'rate', over: RECORDED, under: DIALOGS },
        { of: 'rate', over: TURN, under: DIALOGS },
      ],
      note: 'the dialogs store their state in memory after each turn, as they must; every text was compared',
    });
  } finally {
    await Promise.all([engine.stop(), dialogs.stop()]);
  }
});
