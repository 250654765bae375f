// The kinds of emails, and the types of their subjects and bodies.

/** Subject and body of an email. `at` is the console's address, and `link` is the address to open. */
export interface MailText {
  readonly subject: string
  text(at: string, link: string): string
}

/** The kinds of emails. */
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

/** The emails in one language. */
export type MailTexts = Readonly<Record<MailKind, MailText>>
