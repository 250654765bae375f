// The emails in English.
import type { MailTexts } from './mail-kinds.ts'

/** Subjects and bodies. */
export const ENGLISH_MAILS: MailTexts = {
  verification: {
    subject: 'Confirm your email address',
    text: (at, link) => `Someone, probably you, signed up with this email address at ${at}.

To confirm your address, open this link within an hour. The link works once:

${link}

If this wasn't you, ignore this email: nobody can use the account without this link.
`,
  },
  alreadySignedUp: {
    subject: 'You already have an account',
    text: (at, link) => `Someone, probably you, tried to sign up with this email address at ${at}.

This address already has an account. To log in to it or reset its password:

${link}

If this wasn't you, ignore this email: nothing has changed.
`,
  },
  reset: {
    subject: 'Choose a new password',
    text: (at, link) => `Someone, probably you, requested a new password for your account at ${at}.

To choose a new password, open this link within an hour. The link works once:

${link}

If this wasn't you, ignore this email: your password has not changed.
`,
  },
  passwordChanged: {
    subject: 'Your password was changed',
    text: (at, link) => `The password for your account at ${at} was changed, and all other sessions were ended.

If this wasn't you, reset your password immediately:

${link}
`,
  },
  factorEnabled: {
    subject: 'Your second factor is on',
    text: (
      at,
      link,
    ) => `The second factor for your account at ${at} was turned on. Logging in now also requires a code from your
authenticator app, or a recovery code.

If this wasn't you, contact the service operator, and reset your password here:

${link}
`,
  },
  factorDisabled: {
    subject: 'Your second factor is off',
    text: (at, link) => `The second factor for your account at ${at} was turned off. Your password alone is now
enough to log in.

If this wasn't you, reset your password immediately:

${link}
`,
  },
  passkeyAdded: {
    subject: 'A passkey was added',
    text: (at, link) => `A passkey was added to your account at ${at}. It can be used to log in without your password.

If this wasn't you, remove the passkey in the settings, end all other sessions, and change your password:

${link}
`,
  },
  passkeyRemoved: {
    subject: 'A passkey was removed',
    text: (at, link) => `A passkey was removed from your account at ${at}. It can no longer be used to log in.

If this wasn't you, reset your password immediately:

${link}
`,
  },
  recoveryCodeUsed: {
    subject: 'A recovery code was used',
    text: (
      at,
      link,
    ) => `Someone, probably you, logged in to your account at ${at} with your password and a recovery code. The code
can't be used again.

If this wasn't you, reset your password immediately, then create new recovery codes:

${link}
`,
  },
  emailChange: {
    subject: 'Confirm your new email address',
    text: (at, link) => `Someone, probably you, asked to use this email address for their account at ${at}.

To use this address from now on, open this link within an hour. The link works once:

${link}

If this wasn't you, ignore this email: nothing changes unless the link is opened.
`,
  },
  emailChangeAsked: {
    subject: 'Your email address is about to change',
    text: (
      at,
      link,
    ) => `Someone, probably you, asked to change the email address of your account at ${at}. We sent a link to
the new address. The account keeps this address until that link is opened.

If this wasn't you, change your password. The link that we sent to the new address will then stop working. To change
your password:

${link}
`,
  },
  addressTaken: {
    subject: 'This address already has an account',
    text: (at, link) => `Someone, probably you, asked to use this email address for another account at ${at}.

This address already has an account, so nothing has changed. To log in to that account or reset its password:

${link}
`,
  },
  emailChanged: {
    subject: 'Your email address was changed',
    text: (at, link) => `Your account at ${at} has a new email address. We no longer send emails to this one.

If this wasn't you, contact the service operator immediately. The service's console:

${link}
`,
  },
  accountDeleted: {
    subject: 'Your account was deleted',
    text: (
      at,
      link,
    ) => `Your account at ${at} was deleted, as you asked. Its keys no longer work, and all sessions were ended. In
14 days, we will erase your email address and the names of your keys; until then, the address can't be used for a
new account.

If this wasn't you, contact the service operator within 14 days. The service's console:

${link}
`,
  },
  addressHeld: {
    subject: 'This address can be used again later',
    text: (at, link) => `Someone, probably you, tried to sign up with this email address at ${at}.

An account with this address was deleted less than 14 days ago. You can sign up with the address again 14 days after the
deletion, here:

${link}

If this wasn't you, ignore this email: nothing has changed.
`,
  },
}
