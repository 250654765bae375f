// The explorer's entry point.

import { render } from 'preact'
import { startLanguage } from '../../pages/app/language-choice.ts'
import { requestAhead } from './api-client.ts'
import { App } from './app.tsx'
import { linesPath } from './atlas.ts'
import { apiKey, offeredKey } from './key.ts'
import { FIRST_NETWORK } from './page-addresses.ts'
import { readPlace } from './place.ts'

const root = document.getElementById('explorer')
startLanguage()
// Requests the lines at the same time as the list of networks. This saves a round trip before the first line is shown.
const network = readPlace().network || FIRST_NETWORK
if (apiKey.value !== undefined && offeredKey.value === undefined && network !== '') {
  requestAhead(linesPath(network), 'lines')
}
if (root !== null) render(<App />, root)
