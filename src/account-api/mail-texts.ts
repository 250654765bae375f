// The text of all mails. Links use configured addresses only; the token follows `#`, so that it never appears in server
// logs.
import type { AccountAddresses } from './account-api.ts'

/** A mail to one address. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** For a new sign-up: the link that verifies the address. */
export function verificationMail(to: string, token: string, addresses: AccountAddresses): Mail {
  return {
    to,
    subject: 'Confirm your e-mail address',
    text: `Someone, probably you, signed up with this e-mail address at ${addresses.consoleUrl}.

To confirm your address, open this link within an hour. It works once:

${consoleLink(addresses, 'verify', token)}

If this wasn't you, ignore this mail: the account is not opened without the link.
`,
  }
}

/** For a sign-up with an address that already has an account. */
export function alreadySignedUpMail(to: string, addresses: AccountAddresses): Mail {
  return {
    to,
    subject: 'You already have an account',
    text: `Someone, probably you, tried to sign up with this e-mail address at ${addresses.consoleUrl}.

This address already has an account. To log in or reset your password:

${addresses.consoleUrl}/console

If this wasn't you, ignore this mail: nothing has changed.
`,
  }
}

/** For a forgotten password: the reset link. */
export function resetMail(to: string, token: string, addresses: AccountAddresses): Mail {
  return {
    to,
    subject: 'Choose a new password',
    text: `Someone, probably you, requested a new password for your account at ${addresses.consoleUrl}.

To choose a new password, open this link within an hour. It works once:

${consoleLink(addresses, 'reset', token)}

If this wasn't you, ignore this mail: your password has not changed.
`,
  }
}

/** To the owner, after a password has been changed. */
export function passwordChangedMail(to: string, addresses: AccountAddresses): Mail {
  return {
    to,
    subject: 'Your password was changed',
    text: `The password of your account at ${addresses.consoleUrl} was changed, and all other sessions were ended.

If this wasn't you, reset your password immediately:

${addresses.consoleUrl}/console
`,
  }
}

function consoleLink({ consoleUrl }: AccountAddresses, page: 'verify' | 'reset', token: string): string {
  return `${consoleUrl}/console#/${page}?token=${token}`
}
