// A service whose data threads a test can kill, one at a time.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ServiceFolder, type Serving, until } from './running.ts'

/** The command that a ServiceFolder needs to run a service whose data threads can be killed. */
export const MORTAL_COMMAND: readonly string[] = [process.execPath, join(import.meta.dir, 'mortal-service.ts')]

/** A running service that MORTAL_COMMAND has started. */
export interface MortalService {
  readonly serving: Serving
  /** Path at which a test creates a file to kill a thread: the data thread that removes the file dies. */
  readonly death: string
  /** Requests the value of a metric from the admin port. */
  metric(name: string): Promise<number>
  /** Kills a data thread, and waits until the service has noticed. */
  killOne(): Promise<void>
}

/** Starts the service in a folder, as `ServiceFolder.serve` does. */
export async function serveMortal(
  service: ServiceFolder,
  options: { readonly workers: number; readonly port: number },
): Promise<MortalService> {
  const death = join(service.folder, 'death')
  const serving = await serveWith(death, () => service.serve(options))
  const metric = async (name: string) => {
    const text = await (await fetch(`http://127.0.0.1:${options.port + 1}/metrics`)).text()
    const line = text.split('\n').find((each) => each.startsWith(`${name} `))
    return Number(line?.slice(name.length))
  }
  const deaths = () => metric('quai_data_thread_replacements_total')
  const killOne = async () => {
    const before = await deaths()
    writeFileSync(death, '')
    await until(async () => (await deaths()) === before + 1, 'a thread has died')
  }
  return { serving, death, metric, killOne }
}

async function serveWith<Result>(death: string, serve: () => Promise<Result>): Promise<Result> {
  process.env['QUAI_TEST_DEATH'] = death
  try {
    return await serve()
  } finally {
    delete process.env['QUAI_TEST_DEATH']
  }
}
