// Serves the console's page and files under /console on the account port. Every response from that port has a strict
// Content-Security-Policy: no inline code, no other origins. The policy does not apply to styles that scripts set, so
// the chart needs no exception.

import { fileResponse, serveFiles } from '../pages/page-files.ts'
import { once } from '../system/once.ts'

/** The path of the console's page. */
export const CONSOLE_PATH = '/console'

/** All files of the console by path, loaded and prepared on the first request. */
const served = once(async () => {
  const { consoleFiles } = await import('./console-files.ts')
  return serveFiles(await consoleFiles())
})

/** Returns the response to a request for the console; undefined if the path is not one of the console's files. */
export async function consoleAnswer(request: Request): Promise<Response | undefined> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
  const path = consolePath(new URL(request.url, 'http://localhost').pathname)
  if (path === undefined) return undefined
  const file = (await served()).get(path)
  return file === undefined ? undefined : fileResponse(file, request)
}

/** The path below /console without its leading slash, or '' for /console itself; undefined if the path is neither. */
function consolePath(pathname: string): string | undefined {
  if (pathname === CONSOLE_PATH) return ''
  return pathname.startsWith(`${CONSOLE_PATH}/`) ? pathname.slice(CONSOLE_PATH.length + 1) : undefined
}
