// The image's health check: exit 0 when this container's service answers GET /health. Kubernetes
// probes over HTTP instead.
const port = process.env.PORT ?? '3000';
try {
  const answer = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(4_500) });
  process.exitCode = answer.ok ? 0 : 1;
} catch {
  process.exitCode = 1; // not listening, or not answering in time
}
