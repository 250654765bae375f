// The explorer's entry point.

import { render } from 'preact'
import { startLanguage } from '../../pages/app/language-choice.ts'
import { App } from './app.tsx'

const root = document.getElementById('explorer')
startLanguage()
if (root !== null) render(<App />, root)
