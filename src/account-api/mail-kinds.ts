// The kinds of mails, and the types of their texts.

/** Subject and text of a mail; `at` is the console's address, `link` the address to open. */
export interface MailText {
  readonly subject: string
  text(at: string, link: string): string
}

/** The kinds of mails. */
export type MailKind =
  | 'verification'
  | 'alreadySignedUp'
  | 'reset'
  | 'passwordChanged'
  | 'factorEnabled'
  | 'factorDisabled'
  | 'passkeyAdded'
  | 'passkeyRemoved'
  | 'recoveryCodeUsed'
  | 'emailChange'
  | 'emailChangeAsked'
  | 'addressTaken'
  | 'emailChanged'
  | 'accountDeleted'
  | 'addressHeld'

/** The mails in one language. */
export type MailTexts = Readonly<Record<MailKind, MailText>>
