// The screens before the log-in: sign up, log in, confirm an address, set a password anew.

import type { ComponentType } from 'preact'
import { Mark } from '../../pages/app/signs.tsx'
import { LogIn } from './log-in.tsx'
import { ForgotPassword, ResetPassword } from './password-reset.tsx'
import type { Place } from './place.ts'
import { SignUp } from './sign-up.tsx'
import { LineMap } from './signs.tsx'
import { Verify } from './verify.tsx'

/** What a door is given. */
export interface DoorProps {
  readonly place: Place
}

const DOORS: Readonly<Record<string, ComponentType<DoorProps>>> = {
  '/log-in': LogIn,
  '/sign-up': SignUp,
  '/verify': Verify,
  '/forgot': ForgotPassword,
  '/reset': ResetPassword,
}

/** Whether a path is a door's. */
export function isDoor(path: string): boolean {
  return Object.hasOwn(DOORS, path)
}

/** The door of a place; the log-in where the place is none. */
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
      </main>
      <aside class="door-view">
        <LineMap />
        <p>Every stop, line and departure, behind one key.</p>
      </aside>
    </div>
  )
}
