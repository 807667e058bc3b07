// Loaded into every replica: at SIGUSR2 the clock of the process jumps to as many milliseconds off
// as the file CHAOS_CLOCK says. Timers stay, as they do on a machine whose clock is set.
const { readFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

if (isMainThread) {
  const RealDate = Date;
  let offsetMs = 0;
  const now = () => RealDate.now() + offsetMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length > 0 ? args : [now()], newTarget),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
  process.on('SIGUSR2', () => {
    offsetMs = Number(readFileSync(process.env.CHAOS_CLOCK, 'utf8'));
  });
}
