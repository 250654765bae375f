// The mails, word by word. Links are made of configured addresses only, and a token stands behind `#`, so that it
// reaches no log on its way.
import type { AccountAddresses } from './account-api.ts'

/** A mail to one address. */
export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** To whoever signed up: the link that proves the address. */
export function verificationMail(to: string, token: string, addresses: AccountAddresses): Mail {
  return {
    to,
    subject: 'Confirm your e-mail address',
    text: `Somebody, most likely you, has signed up with this address at ${addresses.consoleUrl}.

To confirm it, open this link within an hour; it works once:

${consoleLink(addresses, 'verify', token)}

If it wasn't you, do nothing: without the link the account stays closed.
`,
  }
}

/** To whoever signed up with an address that has an account. */
export function alreadySignedUpMail(to: string, addresses: AccountAddresses): Mail {
  return {
    to,
    subject: 'You already have an account',
    text: `Somebody, most likely you, has tried to sign up with this address at ${addresses.consoleUrl}.

There is an account for it already. To log in, or to choose a new password:

${addresses.consoleUrl}/console

If it wasn't you, there is nothing to do: nothing has been changed.
`,
  }
}

/** To whoever has forgotten a password: the link that sets another. */
export function resetMail(to: string, token: string, addresses: AccountAddresses): Mail {
  return {
    to,
    subject: 'Choose a new password',
    text: `Somebody, most likely you, has asked for a new password for the account of this address at ${addresses.consoleUrl}.

To choose one, open this link within an hour; it works once:

${consoleLink(addresses, 'reset', token)}

If it wasn't you, do nothing: the password stays as it is.
`,
  }
}

/** To the owner, after a password has been changed. */
export function passwordChangedMail(to: string, addresses: AccountAddresses): Mail {
  return {
    to,
    subject: 'Your password was changed',
    text: `The password of the account of this address at ${addresses.consoleUrl} has just been changed, and all other sessions have been ended.

If it wasn't you, choose a new one at once:

${addresses.consoleUrl}/console
`,
  }
}

function consoleLink({ consoleUrl }: AccountAddresses, page: 'verify' | 'reset', token: string): string {
  return `${consoleUrl}/console#/${page}?token=${token}`
}
