// The admin listener, on loopback: whether the process lives and whether it can serve.

/** What the admin listener asks of the process. */
export interface AdminParts {
  readonly hostname: string
  readonly port: number
  readonly isReady: () => boolean
}

/** Opens the admin listener: `/livez` and `/readyz`. */
export function openAdmin(parts: AdminParts): ReturnType<typeof Bun.serve> {
  const answer = (isFine: boolean) =>
    new Response(isFine ? 'ok\n' : 'not ready\n', {
      status: isFine ? 200 : 503,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
    })
  return Bun.serve({
    hostname: parts.hostname,
    port: parts.port,
    development: false,
    routes: {
      '/livez': () => answer(true),
      '/readyz': () => answer(parts.isReady()),
    },
    fetch: () => new Response('not found\n', { status: 404 }),
  })
}
