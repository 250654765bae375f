// The frame of every screen after the log-in: navigation, links and log-out.

import type { ComponentType } from 'preact'
import { Notice } from '../../pages/app/notice.tsx'
import { Mark } from '../../pages/app/signs.tsx'
import { send } from './account-client.ts'
import { Activity } from './activity.tsx'
import { useSubmission } from './asking.ts'
import { Billing } from './billing.tsx'
import type { Session } from './contract.ts'
import { Keys } from './keys.tsx'
import { Overview } from './overview.tsx'
import { focusTitle } from './parts.tsx'
import type { Place } from './place.ts'
import { useSession } from './session.ts'
import { Settings } from './settings.tsx'
import { Icon, type IconName } from './signs.tsx'

interface Room {
  readonly path: string
  readonly name: string
  readonly icon: IconName
  readonly Screen: ComponentType
}

const OVERVIEW: Room = { path: '/', name: 'Overview', icon: 'overview', Screen: Overview }
const ROOMS: readonly Room[] = [
  OVERVIEW,
  { path: '/keys', name: 'Keys', icon: 'keys', Screen: Keys },
  { path: '/billing', name: 'Billing', icon: 'billing', Screen: Billing },
  { path: '/activity', name: 'Activity', icon: 'activity', Screen: Activity },
  { path: '/settings', name: 'Settings', icon: 'settings', Screen: Settings },
]

/** The open screen in its frame; the overview by default. */
export function Shell(props: { readonly place: Place; readonly session: Session }) {
  const room = ROOMS.find((each) => each.path === props.place.path) ?? OVERVIEW
  const { session } = props
  return (
    <div class="shell">
      <a class="skip" href={`#${room.path}`} onClick={skipToScreen}>
        Skip to content
      </a>
      <header class="rail">
        <a class="brand" href="#/">
          <Mark />
          <span>Quai</span>
        </a>
        <nav class="ways" aria-label="Console">
          <ul>
            {ROOMS.map((each) => (
              <li key={each.path}>
                <a href={`#${each.path}`} aria-current={each.path === room.path ? 'page' : undefined}>
                  <Icon name={each.icon} />
                  {each.name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <RailFoot session={session} />
      </header>
      <main id="screen" tabIndex={-1}>
        {session.account.state === 'suspended' && (
          <Notice kind="problem">
            This account is suspended: its keys answer 401. Ask the operator of the service why.
          </Notice>
        )}
        <room.Screen />
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
      leave('You are logged out.')
    })
  return (
    <div class="rail-foot">
      <ul class="elsewhere">
        <li>
          <a href={`${session.api_url}/docs`} target="_blank" rel="noreferrer">
            API reference
            <Icon name="elsewhere" />
          </a>
        </li>
        {session.explorer_url !== null && (
          <li>
            <a href={session.explorer_url} target="_blank" rel="noreferrer">
              Explorer
              <Icon name="elsewhere" />
            </a>
          </li>
        )}
      </ul>
      <p class="who" title={session.account.email ?? undefined}>
        {session.account.email}
      </p>
      <button type="button" class="quiet" onClick={() => void run()} aria-busy={logOut.isBusy}>
        <Icon name="out" />
        Log out
      </button>
      {logOut.refusal !== undefined && <p role="alert">{logOut.refusal.message}</p>}
    </div>
  )
}
