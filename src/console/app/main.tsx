// The console's entry point: provides the session, and shows a screen that depends on the session and the page's address.

import { render } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { language } from '../../pages/app/language.ts'
import { startLanguage } from '../../pages/app/language-choice.ts'
import { useStored } from '../../pages/app/use-stored.ts'
import { Doors, isDoor } from './doors.tsx'
import { Waiting } from './parts.tsx'
import { open, usePlace } from './place.ts'
import { SessionProvider, useSessionDesk } from './session.ts'
import { Shell } from './shell.tsx'

function Console() {
  useStored(language)
  const desk = useSessionDesk()
  const place = usePlace()
  const { state } = desk
  // Screens that emails link to open even during a session. All other screens before login open only without a session.
  const isMailed = place.path === '/verify' || place.path === '/reset' || place.path === '/new-address'
  const isMisplaced = state.kind === 'in' && isDoor(place.path) && !isMailed
  // Redirects before the screen is painted: a later redirect could undo a click on a link.
  useLayoutEffect(() => {
    if (isMisplaced) open('/')
  }, [isMisplaced])
  return (
    <SessionProvider value={desk}>
      {state.kind === 'loading' ? (
        <Waiting problem={undefined} again={desk.reload} />
      ) : state.kind === 'failed' ? (
        <main class="alone">
          <Waiting problem={state.refusal} again={desk.reload} />
        </main>
      ) : state.kind === 'out' || isMailed ? (
        <Doors place={place} />
      ) : (
        <Shell place={place} session={state.session} />
      )}
    </SessionProvider>
  )
}

const root = document.getElementById('console')
startLanguage()
if (root !== null) render(<Console />, root)
