// Subjects and bodies of all emails, in one table per language. Links use configured addresses only. The token of a
// link follows `#`, so that it never appears in server logs.
import type { AccountAddresses } from './account-api.ts'
import type { MailKind, MailTexts } from './mail-kinds.ts'
import type { MailLanguage } from './mail-language.ts'
import { ENGLISH_MAILS } from './mails-english.ts'
import { FRENCH_MAILS } from './mails-french.ts'

/** An email to one address. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** The recipient and the language of an email, and the addresses for its links. */
export interface MailFrame {
  readonly to: string
  readonly addresses: Pick<AccountAddresses, 'consoleUrl'>
  readonly language: MailLanguage
}

const TEXTS: Readonly<Record<MailLanguage, MailTexts>> = { en: ENGLISH_MAILS, fr: FRENCH_MAILS }

/** The console page that each kind of email links to. If the path ends in `token=`, the token of the link follows. */
const PAGES: Readonly<Record<MailKind, string>> = {
  /** For a new sign-up: the link that verifies the address. */
  verification: '/console#/verify?token=',
  /** For a sign-up with an address that already has an account. */
  alreadySignedUp: '/console',
  /** For a forgotten password: the reset link. */
  reset: '/console#/reset?token=',
  /** To the owner, after a password has been changed. */
  passwordChanged: '/console',
  /** To the owner, after the second factor has been turned on. */
  factorEnabled: '/console#/forgot',
  /** To the owner, after the second factor has been turned off. */
  factorDisabled: '/console#/forgot',
  /** To the owner, after a passkey has been added. */
  passkeyAdded: '/console#/settings',
  /** To the owner, after a passkey has been removed. */
  passkeyRemoved: '/console#/forgot',
  /** To the owner, after a login with a recovery code. */
  recoveryCodeUsed: '/console#/forgot',
  /** To the new address: the link that confirms the address change. */
  emailChange: '/console#/new-address?token=',
  /** To the current address, after a request to change it. */
  emailChangeAsked: '/console#/settings',
  /** To the requested new address, if it already has an account. */
  addressTaken: '/console',
  /** To the former address, after a change. */
  emailChanged: '/console',
  /** To the owner, after the account has been deleted. */
  accountDeleted: '/console',
  /** For a sign-up with the address of an account that was deleted recently. */
  addressHeld: '/console#/sign-up',
}

/**
 * Builds an email.
 * @param token the token of the link in the email; only for kinds whose page (in PAGES) ends in `token=`
 */
export function mailOf(kind: MailKind, { to, addresses: { consoleUrl }, language }: MailFrame, token = ''): Mail {
  const { subject, text } = TEXTS[language][kind]
  return { to, subject, text: text(consoleUrl, `${consoleUrl}${PAGES[kind]}${token}`) }
}
