// Serves the console under /console of the account listener: its page, and the files the page names. What browsers are
// told to keep to stands on every answer of that listener: nothing inline, nothing from elsewhere. What scripts do to an
// element's style goes past that, so the chart needs no exception.

import { fileResponse, serveFiles } from '../pages/page-files.ts'
import { once } from '../system/once.ts'
import { consoleFiles } from './console-files.ts'

/** Where the page is. */
export const CONSOLE_PATH = '/console'

/** All files by path, made ready when the first is asked for. */
const served = once(async () => serveFiles(await consoleFiles()))

/** Answers a request for the console; undefined where it is for something else, or for a file the console doesn't have. */
export async function consoleAnswer(request: Request): Promise<Response | undefined> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
  const path = consolePath(new URL(request.url, 'http://localhost').pathname)
  if (path === undefined) return undefined
  const file = (await served()).get(path)
  return file === undefined ? undefined : fileResponse(file, request)
}

/** The path under /console, without slashes around it; undefined where it isn't under /console. */
function consolePath(pathname: string): string | undefined {
  if (pathname === CONSOLE_PATH) return ''
  return pathname.startsWith(`${CONSOLE_PATH}/`) ? pathname.slice(CONSOLE_PATH.length + 1) : undefined
}
