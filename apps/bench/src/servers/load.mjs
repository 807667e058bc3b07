// The load generator: autocannon in a process of its own that lives as long as the suite, so that
// its code is warm in every window. Is told by message what to send, and answers with the counts.
import autocannon from 'autocannon';

process.on('message', ({ url, headers, bodies, connections, seconds, perSecond, marker }) => {
  const requests = bodies.map((body) => ({ method: 'POST', headers, body }));
  const run = autocannon({
    url,
    connections,
    duration: seconds,
    ...(perSecond === undefined ? {} : { overallRate: perSecond }),
    requests,
    // `[<id>]` in a body: another text in every request
    idReplacement: bodies.some((body) => body.includes('[<id>]')),
    verifyBody: (body) => body.includes(marker),
  });
  run.then(
    (result) =>
      process.send({
        answered: result['2xx'],
        refused: result.non2xx,
        failed: result.errors + result.timeouts,
        wrong: result.mismatches,
        seconds: (result.finish - result.start) / 1000,
      }),
    (error) => process.send({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
