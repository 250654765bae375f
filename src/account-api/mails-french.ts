// The emails in French.
import type { MailTexts } from './mail-kinds.ts'

/** Subjects and bodies. */
export const FRENCH_MAILS: MailTexts = {
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
  passkeyAdded: {
    subject: "Une clé d'accès a été ajoutée",
    text: (
      at,
      link,
    ) => `Une clé d'accès a été ajoutée à votre compte sur ${at}. Elle permet de se connecter sans mot de passe.

Si ce n'était pas vous, retirez cette clé dans les réglages, fermez toutes les autres sessions et changez de mot de passe :

${link}
`,
  },
  passkeyRemoved: {
    subject: "Une clé d'accès a été retirée",
    text: (at, link) => `Une clé d'accès a été retirée de votre compte sur ${at}. Elle ne permet plus de se connecter.

Si ce n'était pas vous, changez immédiatement de mot de passe :

${link}
`,
  },
  recoveryCodeUsed: {
    subject: 'Un code de secours a été utilisé',
    text: (
      at,
      link,
    ) => `Quelqu'un, sans doute vous, s'est connecté à votre compte sur ${at} avec votre mot de passe et un code de
secours. Ce code ne peut plus servir.

Si ce n'était pas vous, changez immédiatement de mot de passe, puis créez de nouveaux codes de secours :

${link}
`,
  },
  emailChange: {
    subject: 'Confirmez votre nouvelle adresse e-mail',
    text: (at, link) => `Quelqu'un, sans doute vous, a demandé à utiliser cette adresse pour son compte sur ${at}.

Pour confirmer cette adresse, ouvrez ce lien dans l'heure. Il n'est valable qu'une fois :

${link}

Si ce n'était pas vous, ignorez ce message : tant que le lien n'est pas ouvert, rien ne change.
`,
  },
  emailChangeAsked: {
    subject: 'Votre adresse e-mail va changer',
    text: (
      at,
      link,
    ) => `Quelqu'un, sans doute vous, a demandé à changer l'adresse e-mail de votre compte sur ${at}. Un lien a été envoyé à
la nouvelle adresse. Le compte garde l'adresse actuelle tant que ce lien n'est pas ouvert.

Si ce n'était pas vous, changez de mot de passe. Le lien envoyé à la nouvelle adresse ne fonctionnera alors plus. Pour
changer de mot de passe :

${link}
`,
  },
  addressTaken: {
    subject: 'Cette adresse a déjà un compte',
    text: (at, link) => `Quelqu'un, sans doute vous, a demandé à utiliser cette adresse pour un autre compte sur ${at}.

Un compte existe déjà pour cette adresse, donc rien n'a changé. Pour vous connecter à ce compte ou réinitialiser son mot
de passe :

${link}
`,
  },
  emailChanged: {
    subject: 'Votre adresse e-mail a été modifiée',
    text: (
      at,
      link,
    ) => `Votre compte sur ${at} a une nouvelle adresse e-mail. Nos messages ne sont plus envoyés à l'ancienne.

Si ce n'était pas vous, contactez immédiatement l'exploitant du service. La console du service :

${link}
`,
  },
  accountDeleted: {
    subject: 'Votre compte a été supprimé',
    text: (
      at,
      link,
    ) => `Votre compte sur ${at} a été supprimé, comme vous l'avez demandé. Ses clés ne fonctionnent plus et toutes les
sessions ont été fermées. Dans 14 jours, votre adresse e-mail et les noms de vos clés seront effacés ; d'ici là, l'adresse ne
peut pas servir à un nouveau compte.

Si ce n'était pas vous, contactez l'exploitant du service dans les 14 jours. La console du service :

${link}
`,
  },
  addressHeld: {
    subject: 'Cette adresse pourra être réutilisée plus tard',
    text: (at, link) => `Quelqu'un, sans doute vous, a tenté de s'inscrire avec cette adresse sur ${at}.

Un compte avec cette adresse a été supprimé il y a moins de 14 jours. Vous pourrez réutiliser l'adresse 14 jours après la
suppression, ici :

${link}

Si ce n'était pas vous, ignorez ce message : rien n'a changé.
`,
  },
}
