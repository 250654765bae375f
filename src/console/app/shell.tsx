// The frame of every screen after login: navigation, links and logout.

import type { ComponentType } from 'preact'
import { LanguageSwitch } from '../../pages/app/language-switch.tsx'
import { Notice } from '../../pages/app/notice.tsx'
import { Mark } from '../../pages/app/signs.tsx'
import { send } from './account-client.ts'
import { Activity } from './activity.tsx'
import { Billing } from './billing.tsx'
import type { Session } from './contract.ts'
import { Keys } from './keys.tsx'
import { Overview } from './overview.tsx'
import { focusTitle } from './parts.tsx'
import { PasswordQuestion } from './password-question.tsx'
import type { Place } from './place.ts'
import { refusalSentence } from './refusal-words.ts'
import { useSubmission } from './requests.ts'
import { useSession } from './session.ts'
import { Settings } from './settings.tsx'
import { Icon, type IconName } from './signs.tsx'
import { texts } from './texts/texts.ts'

interface Room {
  readonly path: string
  readonly name: 'overview' | 'keys' | 'billing' | 'activity' | 'settings'
  readonly icon: IconName
  readonly Screen: ComponentType
}

const OVERVIEW: Room = { path: '/', name: 'overview', icon: 'overview', Screen: Overview }
const ROOMS: readonly Room[] = [
  OVERVIEW,
  { path: '/keys', name: 'keys', icon: 'keys', Screen: Keys },
  { path: '/billing', name: 'billing', icon: 'billing', Screen: Billing },
  { path: '/activity', name: 'activity', icon: 'activity', Screen: Activity },
  { path: '/settings', name: 'settings', icon: 'settings', Screen: Settings },
]

/** Shows the open screen in its frame. The default screen is the overview. */
export function Shell(props: { readonly place: Place; readonly session: Session }) {
  const room = ROOMS.find((each) => each.path === props.place.path) ?? OVERVIEW
  const { session } = props
  return (
    <div class="shell">
      <header class="rail">
        <a class="skip" href={`#${room.path}`} onClick={skipToScreen}>
          {texts().skip}
        </a>
        <a class="brand" href="#/">
          <Mark />
          <span>Quai</span>
        </a>
        <nav class="ways" aria-label={texts().console}>
          <ul>
            {ROOMS.map((each) => (
              <li key={each.path}>
                <a href={`#${each.path}`} aria-current={each.path === room.path ? 'page' : undefined}>
                  <Icon name={each.icon} />
                  {texts()[each.name]}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <RailFoot session={session} />
      </header>
      <main id="screen" tabIndex={-1}>
        {session.account.state === 'suspended' && <Notice kind="problem">{texts().suspendedAccount}</Notice>}
        <room.Screen />
        <PasswordQuestion />
      </main>
    </div>
  )
}

function skipToScreen(event: Event): void {
  event.preventDefault()
  focusTitle()
}

function RailFoot({ session }: { readonly session: Session }) {
  const { leave } = useSession()
  const logOut = useSubmission()
  const run = () =>
    logOut.run(async () => {
      await send('DELETE', '/v1/sessions/current')
      leave(texts().loggedOut)
    })
  return (
    <div class="rail-foot">
      <ul class="elsewhere">
        <li>
          <a href={`${session.api_url}/docs`} target="_blank" rel="noreferrer">
            {texts().reference}
            <Icon name="elsewhere" />
          </a>
        </li>
        {session.explorer_url !== null && (
          <li>
            <a href={session.explorer_url} target="_blank" rel="noreferrer">
              {texts().explorer}
              <Icon name="elsewhere" />
            </a>
          </li>
        )}
      </ul>
      <LanguageSwitch />
      <p class="who" title={session.account.email ?? undefined}>
        {session.account.email}
      </p>
      <button type="button" class="quiet" onClick={() => void run()} aria-busy={logOut.isBusy}>
        <Icon name="out" />
        {texts().logOut}
      </button>
      {logOut.refusal !== undefined && <p role="alert">{refusalSentence(logOut.refusal)}</p>}
    </div>
  )
}
