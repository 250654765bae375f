// The buttons that switch the language.
import { LANGUAGE_NAMES, type Language, language } from './language.ts'
import { chooseLanguage } from './language-choice.ts'
import { useStored } from './use-stored.ts'

const LANGUAGES: readonly Language[] = ['en', 'fr']

/** A button for each language. It shows the language's own name, such as "Français", or its code if `isShort`. */
export function LanguageSwitch({ isShort }: { readonly isShort?: boolean }) {
  const current = useStored(language)
  return (
    <fieldset class="languages" aria-label="Language, langue">
      {LANGUAGES.map((each) => (
        <button
          key={each}
          type="button"
          lang={each}
          class="quiet"
          aria-pressed={each === current}
          onClick={() => chooseLanguage(each)}
        >
          {isShort === true && <span aria-hidden="true">{each.toUpperCase()}</span>}
          <span class={isShort === true ? 'unseen' : undefined}>{LANGUAGE_NAMES[each]}</span>
        </button>
      ))}
    </fieldset>
  )
}
