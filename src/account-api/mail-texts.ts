// The text of all mails, in one table per language. Links use configured addresses only; the token follows `#`, so that
// it never appears in server logs.
import type { AccountAddresses } from './account-api.ts'
import type { MailKind, MailTexts } from './mail-kinds.ts'
import type { MailLanguage } from './mail-language.ts'
import { ENGLISH_MAILS } from './mails-english.ts'
import { FRENCH_MAILS } from './mails-french.ts'

/** A mail to one address. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Whom a mail is for, and how it is written. */
export interface MailFrame {
  readonly to: string
  readonly addresses: Pick<AccountAddresses, 'consoleUrl'>
  readonly language: MailLanguage
}

const TEXTS: Readonly<Record<MailLanguage, MailTexts>> = { en: ENGLISH_MAILS, fr: FRENCH_MAILS }

/** For a new sign-up: the link that verifies the address. */
export function verificationMail(frame: MailFrame, token: string): Mail {
  return mailOf('verification', frame, `/console#/verify?token=${token}`)
}

/** For a sign-up with an address that already has an account. */
export function alreadySignedUpMail(frame: MailFrame): Mail {
  return mailOf('alreadySignedUp', frame, '/console')
}

/** For a forgotten password: the reset link. */
export function resetMail(frame: MailFrame, token: string): Mail {
  return mailOf('reset', frame, `/console#/reset?token=${token}`)
}

/** To the owner, after a password has been changed. */
export function passwordChangedMail(frame: MailFrame): Mail {
  return mailOf('passwordChanged', frame, '/console')
}

/** To the owner, after the second factor has been turned on. */
export function factorEnabledMail(frame: MailFrame): Mail {
  return mailOf('factorEnabled', frame, '/console#/forgot')
}

/** To the owner, after the second factor has been turned off. */
export function factorDisabledMail(frame: MailFrame): Mail {
  return mailOf('factorDisabled', frame, '/console#/forgot')
}

/** To the owner, after a passkey has been added. */
export function passkeyAddedMail(frame: MailFrame): Mail {
  return mailOf('passkeyAdded', frame, '/console#/settings')
}

/** To the owner, after a log-in with a recovery code. */
export function recoveryCodeUsedMail(frame: MailFrame): Mail {
  return mailOf('recoveryCodeUsed', frame, '/console#/forgot')
}

/** To a new address: the link that makes it the account's. */
export function emailChangeMail(frame: MailFrame, token: string): Mail {
  return mailOf('emailChange', frame, `/console#/new-address?token=${token}`)
}

/** To the present address, when another was asked for. */
export function emailChangeAskedMail(frame: MailFrame): Mail {
  return mailOf('emailChangeAsked', frame, '/console#/settings')
}

/** To an address that was asked for and has an account. */
export function addressTakenMail(frame: MailFrame): Mail {
  return mailOf('addressTaken', frame, '/console')
}

/** To the former address, after a change. */
export function emailChangedMail(frame: MailFrame): Mail {
  return mailOf('emailChanged', frame, '/console')
}

/** To the owner, after the account has been deleted. */
export function accountDeletedMail(frame: MailFrame): Mail {
  return mailOf('accountDeleted', frame, '/console')
}

/** For a sign-up with the address of an account that was deleted lately. */
export function addressHeldMail(frame: MailFrame): Mail {
  return mailOf('addressHeld', frame, '/console#/sign-up')
}

function mailOf(kind: MailKind, { to, addresses: { consoleUrl }, language }: MailFrame, path: string): Mail {
  const { subject, text } = TEXTS[language][kind]
  return { to, subject, text: text(consoleUrl, `${consoleUrl}${path}`) }
}
