// The limit: a server that does nothing but send the bytes it was given, by path.
const [port = '', file = ''] = process.argv.slice(2)
const bodies = new Map(Object.entries((await Bun.file(file).json()) as Record<string, string>))
const headers = { 'content-type': 'application/json' }

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  reusePort: true,
  fetch: ({ url }) => new Response(bodies.get(url.slice(url.indexOf('/', 8))), { headers }),
})

console.log('open')

export {}
