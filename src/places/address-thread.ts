// Imports addresses in a separate Worker, so that an import does not delay threads that answer requests. The import's
// memory is freed when the Worker ends.
import { type AddressImport, type AddressOrder, importAddresses } from './address-store.ts'
import { refreshStops, type WordedNetwork } from './stop-store.ts'

/** The addresses that the Worker imports, and the networks whose stops get their towns from these addresses. */
export interface AddressJob extends AddressOrder {
  readonly networks: readonly WordedNetwork[]
}

/** A message from the Worker. */
type AddressAnswer =
  | { readonly kind: 'awake' }
  | { readonly kind: 'done'; readonly result: AddressImport }
  | { readonly kind: 'failed'; readonly message: string }

declare const self: Worker

/** Runs in the Worker: imports the addresses of one job. */
export function runAddressThread(): void {
  const post = (answer: AddressAnswer) => self.postMessage(answer)
  self.onmessage = async ({ data: job }: MessageEvent<AddressJob>) => {
    try {
      const result = await importAddresses(job)
      if (result.outcome === 'imported') refreshStops(job.dataDir, job.networks)
      post({ kind: 'done', result })
    } catch (error) {
      post({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
    }
  }
  post({ kind: 'awake' })
}

/** Imports addresses in a Worker. If the import fails, resolves to an error message. */
export async function importInThread(job: AddressJob): Promise<AddressImport | string> {
  const worker = new Worker(Bun.main, { argv: ['addresses'] })
  const ended = Promise.withResolvers<AddressImport | string>()
  worker.onerror = (event) => ended.resolve(event.message)
  worker.onmessage = ({ data }: MessageEvent<AddressAnswer>) => {
    if (data.kind === 'awake') worker.postMessage(job)
    else ended.resolve(data.kind === 'done' ? data.result : data.message)
  }
  try {
    return await ended.promise
  } finally {
    worker.terminate()
  }
}
