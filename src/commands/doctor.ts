// `quai doctor`: finds common operator mistakes, and names the remedy for each.
import { type ConfigSources, loadConfig } from '../config/config.ts'
import { configWarnings, findUnknownEnvironment } from '../config/config-document.ts'
import { type Finding, ok, runChecks, warning } from '../doctor/check.ts'
import { machineChecks } from '../doctor/machine-checks.ts'
import { serviceChecks } from '../doctor/service-checks.ts'
import { sourceChecks } from '../doctor/source-checks.ts'
import { countText } from '../system/count-text.ts'
import type { CommandIo } from './command-io.ts'
import { toPrintable, toPrintableJson } from './printable.ts'

/** Runs all checks. Returns exit status 1 if a check found a fault. */
export async function runDoctor(sources: ConfigSources, options: { json: boolean }, io: CommandIo): Promise<number> {
  const config = loadConfig(sources)
  const warnings = [...configWarnings(config), ...findUnknownEnvironment(sources.env ?? process.env)]
  const file = config.file ?? 'the configuration (no file)'
  const findings = [
    ok('settings', `${file} is valid`),
    ...warnings.map((message) => warning('settings', message)),
    ...(await runChecks([...machineChecks(config), ...serviceChecks(config), ...sourceChecks(config)])),
  ]
  const status = findings.some(({ state }) => state === 'fault') ? 1 : 0
  if (options.json) {
    io.stdout(`${toPrintableJson({ is_well: status === 0, findings })}\n`)
    return status
  }
  const width = Math.max(...findings.map(({ part }) => Bun.stringWidth(part)))
  for (const { part, state, message } of findings) {
    io.stdout(`${state.padEnd(7)}  ${toPrintable(part.padEnd(width))}  ${toPrintable(message)}\n`)
  }
  io.stdout(`\n${summaryOf(findings)}\n`)
  return status
}

function summaryOf(findings: readonly Finding[]): string {
  const count = (state: Finding['state']) => findings.filter((each) => each.state === state).length
  return `${count('ok')} ok, ${countText(count('warning'), 'warning')}, ${countText(count('fault'), 'fault')}`
}
