// The second login factor: set up an authenticator app, save the recovery codes, turn the factor off.

import { useRef, useState } from 'preact/hooks'
import { CopyButton } from '../../pages/app/copying.tsx'
import { change, send } from './account-client.ts'
import { CodeField } from './code-field.tsx'
import type { Factor, FactorSetup, RecoveryCodes } from './contract.ts'
import { CopyLine } from './copy.tsx'
import { toDate } from './formats.ts'
import { RefusalNotice, SubmitButton, Waiting } from './parts.tsx'
import { QrCode } from './qr-code.tsx'
import { useAnswer, useSubmission } from './requests.ts'
import { texts } from './texts/texts.ts'

/** The current content of the card: the state of the factor, its setup, or new recovery codes. */
type Step =
  | { readonly kind: 'state' }
  | { readonly kind: 'setup'; readonly setup: FactorSetup }
  | { readonly kind: 'codes'; readonly codes: readonly string[] }

/** The second-factor card. */
export function FactorCard() {
  const factor = useAnswer<Factor>('/v1/factor')
  const [step, setStep] = useState<Step>({ kind: 'state' })
  const showCodes = async ({ recovery_codes: codes }: RecoveryCodes) => {
    setStep({ kind: 'codes', codes })
    await factor.again()
  }
  return (
    <section class="card" aria-labelledby="factor">
      <h2 id="factor">{texts().security.factor}</h2>
      {step.kind === 'setup' ? (
        <SetupForm setup={step.setup} onCodes={showCodes} onCancel={() => setStep({ kind: 'state' })} />
      ) : step.kind === 'codes' ? (
        <Codes codes={step.codes} onSaved={() => setStep({ kind: 'state' })} />
      ) : factor.value === undefined ? (
        <Waiting problem={factor.problem} again={factor.again} />
      ) : factor.value.enabled_at === null ? (
        <Off onSetup={(setup) => setStep({ kind: 'setup', setup })} />
      ) : (
        <On factor={factor.value} since={factor.value.enabled_at} onCodes={showCodes} again={factor.again} />
      )}
    </section>
  )
}

function Off({ onSetup }: { onSetup(setup: FactorSetup): void }) {
  const form = useSubmission()
  const run = () => form.run(async () => onSetup(await change<FactorSetup>('POST', '/v1/factor/setups')))
  return (
    <>
      <p>{texts().security.factorLead}</p>
      <RefusalNotice refusal={form.refusal} />
      <div class="row">
        <button type="button" class="plain" aria-busy={form.isBusy} onClick={() => void run()}>
          {texts().security.setUpApp}
        </button>
      </div>
    </>
  )
}

function SetupForm(props: {
  readonly setup: FactorSetup
  onCodes(codes: RecoveryCodes): Promise<void>
  onCancel(): void
}) {
  const { setup, onCodes, onCancel } = props
  const [code, setCode] = useState('')
  const form = useSubmission()
  const submit = (event: Event) => {
    event.preventDefault()
    void form.run(async () => onCodes(await change<RecoveryCodes>('PUT', '/v1/factor', { code: code.trim() })))
  }
  return (
    <form class="stack" onSubmit={submit}>
      <p>{texts().security.scanCode}</p>
      <QrCode text={setup.uri} label={texts().security.qrCode} />
      <p>{texts().security.orTypeSecret}</p>
      <CopyLine text={setup.secret} label={texts().security.theSecret} />
      <CodeField value={code} onText={setCode} hint={texts().security.codeOfApp} />
      <RefusalNotice refusal={form.refusal} />
      <div class="row">
        <SubmitButton isBusy={form.isBusy}>{texts().security.turnOn}</SubmitButton>
        <button type="button" class="plain" onClick={onCancel}>
          {texts().cancel}
        </button>
      </div>
    </form>
  )
}

function Codes(props: { readonly codes: readonly string[]; onSaved(): void }) {
  const list = useRef<HTMLUListElement>(null)
  return (
    <>
      <p>{texts().security.saveCodes}</p>
      <ul class="recovery-codes" ref={list}>
        {props.codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="row">
        <button type="button" class="primary" onClick={props.onSaved}>
          {texts().security.savedCodes}
        </button>
        <CopyButton
          text={props.codes.join('\n')}
          what={texts().security.theCodes}
          class="plain"
          shown={() => list.current}
        />
      </div>
    </>
  )
}

function On(props: {
  readonly factor: Factor
  readonly since: string
  onCodes(codes: RecoveryCodes): Promise<void>
  again(): Promise<void>
}) {
  const { factor, since, onCodes, again } = props
  const form = useSubmission()
  const renew = () => form.run(async () => onCodes(await change<RecoveryCodes>('POST', '/v1/factor/recovery-codes')))
  const turnOff = () =>
    form.run(async () => {
      await send('DELETE', '/v1/factor')
      await again()
    })
  return (
    <>
      <p>{texts().security.factorOn(toDate(since))}</p>
      <p>{texts().security.codesLeft(factor.recovery_codes_left)}</p>
      <RefusalNotice refusal={form.refusal} />
      <div class="row">
        <button type="button" class="plain" aria-busy={form.isBusy} onClick={() => void renew()}>
          {texts().security.newCodes}
        </button>
        <button type="button" class="plain" aria-busy={form.isBusy} onClick={() => void turnOff()}>
          {texts().security.turnOff}
        </button>
      </div>
    </>
  )
}
