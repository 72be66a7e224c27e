// The containers' health check: `node docker/probe.mjs INGEST_PORT` succeeds when the process on that port is ready.
const port = process.env[process.argv[2] ?? '']
const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4_000) }).catch(
  () => undefined,
)
process.exit(answer?.ok ? 0 : 1)
