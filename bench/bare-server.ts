// A server that only sends prepared bytes: for each path, either a configured body or a configured number of bytes. The
// service cannot be faster than this server.
const [port = '', file = ''] = process.argv.slice(2)
const given = (await Bun.file(file).json()) as Record<string, string | number>
const bodies = new Map(
  Object.entries(given).map(([path, body]) => [path, typeof body === 'string' ? body : 'x'.repeat(body)]),
)
const headers = { 'content-type': 'application/json' }

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  reusePort: true,
  fetch: ({ url }) => new Response(bodies.get(url.slice(url.indexOf('/', 8))), { headers }),
})

console.log('open')

export {}
