// The screens before login: sign up, log in, confirm an email address, reset a password.

import type { ComponentType } from 'preact'
import { LanguageSwitch } from '../../pages/app/language-switch.tsx'
import { Mark } from '../../pages/app/signs.tsx'
import { LogIn } from './log-in.tsx'
import { NewAddress } from './new-address.tsx'
import { ForgotPassword, ResetPassword } from './password-reset.tsx'
import type { Place } from './place.ts'
import { SignUp } from './sign-up.tsx'
import { LineMap } from './signs.tsx'
import { texts } from './texts/texts.ts'
import { Verify } from './verify.tsx'

/** Props of a screen before login. */
export interface DoorProps {
  readonly place: Place
}

const DOORS: Readonly<Record<string, ComponentType<DoorProps>>> = {
  '/log-in': LogIn,
  '/sign-up': SignUp,
  '/verify': Verify,
  '/forgot': ForgotPassword,
  '/reset': ResetPassword,
  '/new-address': NewAddress,
}

/** Whether a path belongs to a screen before login. */
export function isDoor(path: string): boolean {
  return Object.hasOwn(DOORS, path)
}

/** Shows the pre-login screen of a path, or the login screen if the path has none. */
export function Doors({ place }: DoorProps) {
  const Door = DOORS[place.path] ?? LogIn
  return (
    <div class="doors">
      <main class="door">
        <p class="brand">
          <Mark />
          <span>Quai</span>
        </p>
        <div class="door-body">
          <Door place={place} />
        </div>
        <LanguageSwitch />
      </main>
      <aside class="door-view">
        <LineMap />
        <p>{texts().tagline}</p>
      </aside>
    </div>
  )
}
