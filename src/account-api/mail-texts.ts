// The text of all mails, in one table per language. Links use configured addresses only; the token follows `#`, so that
// it never appears in server logs.
import type { AccountAddresses } from './account-api.ts'
import type { MailLanguage } from './mail-language.ts'

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

/** Subject and text of a mail; `at` is the console's address, `link` the address to open. */
interface MailText {
  readonly subject: string
  text(at: string, link: string): string
}

type MailKind = 'verification' | 'alreadySignedUp' | 'reset' | 'passwordChanged' | 'factorEnabled' | 'factorDisabled'

type MailTexts = Readonly<Record<MailKind, MailText>>

const ENGLISH: MailTexts = {
  verification: {
    subject: 'Confirm your e-mail address',
    text: (at, link) => `Someone, probably you, signed up with this e-mail address at ${at}.

To confirm your address, open this link within an hour. It works once:

${link}

If this wasn't you, ignore this mail: nobody can use the account without this link.
`,
  },
  alreadySignedUp: {
    subject: 'You already have an account',
    text: (at, link) => `Someone, probably you, tried to sign up with this e-mail address at ${at}.

This address already has an account. To log in or reset your password:

${link}

If this wasn't you, ignore this mail: nothing has changed.
`,
  },
  reset: {
    subject: 'Choose a new password',
    text: (at, link) => `Someone, probably you, requested a new password for your account at ${at}.

To choose a new password, open this link within an hour. It works once:

${link}

If this wasn't you, ignore this mail: your password has not changed.
`,
  },
  passwordChanged: {
    subject: 'Your password was changed',
    text: (at, link) => `The password of your account at ${at} was changed, and all other sessions were ended.

If this wasn't you, reset your password immediately:

${link}
`,
  },
  factorEnabled: {
    subject: 'The second factor is on',
    text: (
      at,
      link,
    ) => `The second factor of your account at ${at} was turned on. Logging in now also needs a code of your
authenticator app, or a recovery code.

If this wasn't you, reset your password and contact the operator of the service:

${link}
`,
  },
  factorDisabled: {
    subject: 'The second factor is off',
    text: (at, link) => `The second factor of your account at ${at} was turned off. Logging in only needs your password.

If this wasn't you, reset your password immediately:

${link}
`,
  },
}

const FRENCH: MailTexts = {
  verification: {
    subject: 'Confirmez votre adresse e-mail',
    text: (at, link) => `Quelqu'un, sans doute vous, s'est inscrit avec cette adresse sur ${at}.

Pour confirmer votre adresse, ouvrez ce lien dans l'heure. Il n'est valable qu'une fois :

${link}

Si ce n'était pas vous, ignorez ce message : sans ce lien, personne ne peut utiliser le compte.
`,
  },
  alreadySignedUp: {
    subject: 'Vous avez déjà un compte',
    text: (at, link) => `Quelqu'un, sans doute vous, a tenté de s'inscrire avec cette adresse sur ${at}.

Un compte existe déjà pour cette adresse. Pour vous connecter ou réinitialiser votre mot de passe :

${link}

Si ce n'était pas vous, ignorez ce message : rien n'a changé.
`,
  },
  reset: {
    subject: 'Choisissez un nouveau mot de passe',
    text: (at, link) => `Quelqu'un, sans doute vous, a demandé un nouveau mot de passe pour votre compte sur ${at}.

Pour choisir un nouveau mot de passe, ouvrez ce lien dans l'heure. Il n'est valable qu'une fois :

${link}

Si ce n'était pas vous, ignorez ce message : votre mot de passe n'a pas changé.
`,
  },
  passwordChanged: {
    subject: 'Votre mot de passe a été modifié',
    text: (
      at,
      link,
    ) => `Le mot de passe de votre compte sur ${at} a été modifié, et toutes les autres sessions ont été fermées.

Si ce n'était pas vous, réinitialisez immédiatement votre mot de passe :

${link}
`,
  },
  factorEnabled: {
    subject: 'Le second facteur est activé',
    text: (
      at,
      link,
    ) => `Le second facteur de votre compte sur ${at} a été activé. Pour vous connecter, il faut maintenant aussi un
code de votre application d'authentification, ou un code de secours.

Si ce n'était pas vous, changez de mot de passe et contactez l'exploitant du service :

${link}
`,
  },
  factorDisabled: {
    subject: 'Le second facteur est désactivé',
    text: (
      at,
      link,
    ) => `Le second facteur de votre compte sur ${at} a été désactivé. Votre mot de passe suffit pour vous connecter.

Si ce n'était pas vous, changez immédiatement de mot de passe :

${link}
`,
  },
}

const TEXTS: Readonly<Record<MailLanguage, MailTexts>> = { en: ENGLISH, fr: FRENCH }

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

function mailOf(kind: keyof MailTexts, { to, addresses: { consoleUrl }, language }: MailFrame, path: string): Mail {
  const { subject, text } = TEXTS[language][kind]
  return { to, subject, text: text(consoleUrl, `${consoleUrl}${path}`) }
}
