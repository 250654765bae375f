// The keys screen: create, list, rename and revoke keys.

import { useState } from 'preact/hooks'
import { Notice } from '../../pages/app/notice.tsx'
import type { Key, MadeKey, Session } from './contract.ts'
import { toDate, toInstant, toPlanName, toUnits } from './formats.ts'
import { RenameKey, RevokeKey } from './key-changes.tsx'
import { NewKeyForm, ShownKey } from './new-key.tsx'
import { Empty, Fact, focusTitle, ScreenTitle, Waiting } from './parts.tsx'
import { type Answered, useAnswer } from './requests.ts'
import { useLoggedIn } from './session.ts'
import { Icon } from './signs.tsx'
import { texts } from './texts/texts.ts'

/** The response that lists the account's keys. */
export interface KeyList {
  readonly keys: readonly Key[]
  /** How many of the oldest revoked keys are left out. */
  readonly revoked_not_shown: number
}

/** The keys screen. */
export function Keys() {
  const session = useLoggedIn()
  const list = useAnswer<KeyList>('/v1/keys')
  const [step, setStep] = useState<'list' | 'form' | MadeKey>('list')
  const toList = () => {
    setStep('list')
    // Load the list of keys again, because the new key may have been used while it was shown.
    void list.again()
    focusTitle()
  }
  const onMade = (made: MadeKey) => {
    setStep(made)
    void list.again()
  }
  return (
    <>
      <ScreenTitle title={texts().keys}>
        {step === 'list' && list.value !== undefined && (
          <KeyRoom session={session} keys={list.value.keys} onNew={() => setStep('form')} />
        )}
      </ScreenTitle>
      {step === 'form' && (
        <section class="card" aria-label={texts().newKey}>
          <h2>{texts().newKey}</h2>
          <NewKeyForm suggestedName="" onMade={onMade} onCancel={toList} />
        </section>
      )}
      {typeof step === 'object' && <ShownKey made={step} onUsed={list.again} onDone={toList} />}
      {list.value === undefined || list.problem !== undefined ? (
        <Waiting problem={list.problem} again={list.again} />
      ) : null}
      {list.value !== undefined && <KeyLists list={list} keys={list.value.keys} isMaking={step !== 'list'} />}
    </>
  )
}

/** The number of active keys, their limit, and the button that creates a key. */
function KeyRoom(props: { readonly session: Session; readonly keys: readonly Key[]; onNew(): void }) {
  const { key_limit, plan } = props.session.account
  const active = props.keys.filter(isLive).length
  const isFull = active >= key_limit
  return (
    <div class="title-actions">
      <p class="aside">{texts().activeOf(toUnits(active), toUnits(key_limit))}</p>
      <button type="button" class="primary" onClick={props.onNew} disabled={isFull}>
        <Icon name="plus" />
        {texts().newKey}
      </button>
      {isFull && <p class="aside full">{texts().planAllows(toPlanName(plan), key_limit)}</p>}
    </div>
  )
}

function KeyLists(props: {
  readonly list: Answered<KeyList>
  readonly keys: readonly Key[]
  readonly isMaking: boolean
}) {
  const live = props.keys.filter(isLive)
  const ended = props.keys.filter((key) => !isLive(key))
  const [change, setChange] = useState<{ readonly kind: 'rename' | 'revoke'; readonly key: Key } | undefined>(undefined)
  const [notice, setNotice] = useState<string | undefined>(undefined)
  const close = () => setChange(undefined)
  const onChanged = (sentence: string) => {
    setNotice(sentence)
    close()
    // A closed dialog returns the focus to the button that opened it. The button may be removed with the key's row, so
    // the title gets the focus.
    void props.list.again().then(() => requestAnimationFrame(focusTitle))
  }
  return (
    <>
      {notice !== undefined && <Notice kind="good">{notice}</Notice>}
      {live.length === 0 && !props.isMaking && <Empty title={texts().noKeys}>{texts().noKeysHint}</Empty>}
      <ul class="keys">
        {live.map((key) => (
          <KeyRow key={key.id} of={key} onChange={(kind) => setChange({ kind, key })} />
        ))}
      </ul>
      {ended.length > 0 && (
        <details class="more ended">
          <summary>{texts().inactiveKeys(ended.length)}</summary>
          <ul class="keys">
            {ended.map((key) => (
              <KeyRow key={key.id} of={key} />
            ))}
          </ul>
          {props.list.value !== undefined && props.list.value.revoked_not_shown > 0 && (
            <p class="small">{texts().olderKeys(props.list.value.revoked_not_shown)}</p>
          )}
        </details>
      )}
      {change?.kind === 'rename' && <RenameKey of={change.key} onClose={close} onChanged={onChanged} />}
      {change?.kind === 'revoke' && <RevokeKey of={change.key} onClose={close} onChanged={onChanged} />}
    </>
  )
}

function isLive(key: Key): boolean {
  return key.state === 'active' || key.state === 'suspended'
}

function KeyRow(props: { readonly of: Key; readonly onChange?: (kind: 'rename' | 'revoke') => void }) {
  const { of: key, onChange } = props
  return (
    <li class="key">
      <div class="key-head">
        <p class="key-name">
          <strong>{key.name}</strong>
          {key.state !== 'active' && <span class={`state ${key.state}`}>{texts().keyStates[key.state]}</span>}
        </p>
        <code>
          {key.prefix}…{key.last_four}
        </code>
      </div>
      <dl class="facts">
        <Fact name={texts().lastUsed}>
          {key.last_used_at === null ? texts().never : toInstant(key.last_used_at, Date.now())}
        </Fact>
        <Fact name={texts().unitsToday}>{toUnits(key.units_today)}</Fact>
        <Fact name={texts().unitsThisMonth}>{toUnits(key.units_this_month)}</Fact>
        <Fact name={texts().created}>{toDate(key.created_at)}</Fact>
        {key.revoked_at !== null ? (
          <Fact name={texts().revoked}>{toDate(key.revoked_at)}</Fact>
        ) : (
          <Fact name={key.state === 'expired' ? texts().expired : texts().ends}>
            {key.expires_at === null ? texts().never : toDate(key.expires_at)}
          </Fact>
        )}
        <Fact name={texts().scopes}>{key.scopes.join(', ')}</Fact>
      </dl>
      {onChange !== undefined && (
        <div class="key-actions">
          <button
            type="button"
            class="plain"
            onClick={() => onChange('rename')}
            aria-label={texts().renameKey(key.name)}
          >
            {texts().rename}
          </button>
          <button
            type="button"
            class="plain risky"
            onClick={() => onChange('revoke')}
            aria-label={texts().revokeKey(key.name)}
          >
            {texts().revoke}
          </button>
        </div>
      )}
    </li>
  )
}
