// The signals that stop a running service or reload its configuration.
import type { ServeReload } from './serve-reload.ts'

/**
 * Handles signals. SIGTERM drains the service and then exits, and SIGINT exits without draining. A second SIGTERM or
 * SIGINT exits at once. SIGHUP reloads the configuration, or exits if `reload` is undefined.
 */
export function takeSignals(
  { ended, stage }: { readonly ended: PromiseWithResolvers<number>; readonly stage: { isDraining: boolean } },
  reload: ServeReload | undefined,
): void {
  let isEnding = false
  const onSignal = (signal: NodeJS.Signals) => {
    if (isEnding) process.exit(130)
    isEnding = true
    stage.isDraining = signal === 'SIGTERM'
    ended.resolve(0)
  }
  const onHangup = () => (reload === undefined ? ended.resolve(0) : void reload.run().catch(ended.reject))
  process.on('SIGHUP', onHangup)
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}
