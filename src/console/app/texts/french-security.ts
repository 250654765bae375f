// The French wording of the cards that protect an account.
import { countOf } from '../../../pages/app/language.ts'
import type { SecurityTexts } from './english-security.ts'

export const FRENCH_SECURITY: SecurityTexts = {
  enterPassword: 'Saisissez votre mot de passe',
  whyPassword: 'Votre connexion date de plus de 15 minutes. Ce changement nécessite à nouveau votre mot de passe.',
  confirm: 'Continuer',
  sessions: 'Sessions',
  sessionsLead: 'Où ce compte est connecté. Terminer une session ne change rien à vos clés.',
  unknownDevice: 'Navigateur inconnu',
  device: (name) => name.replace(' on ', ' sur '),
  thisSession: 'cette session',
  startedAt: (when) => `Connexion : ${when}`,
  usedAt: (when) => `dernier usage : ${when}`,
  endOthers: 'Terminer toutes les autres sessions',
  changeAddress: 'Changer d’adresse e-mail',
  newAddress: 'Nouvelle adresse e-mail',
  addressLinkSent: (email) =>
    `Un lien a été envoyé à ${email}. L’adresse changera quand vous l’ouvrirez. Un avis est envoyé à votre adresse actuelle.`,
  confirmNewAddress: 'Confirmez que votre compte utilise désormais cette adresse.',
  useAddress: 'Utiliser cette adresse',
  addressChanged: 'Votre compte a maintenant cette adresse. Utilisez-la désormais pour vous connecter.',
  toSettings: 'Vers les réglages',
  close: 'Fermer',
  passkeys: 'Clés d’accès',
  passkeysLead:
    'Une clé d’accès vous connecte avec le code, le doigt ou le visage qui déverrouille votre appareil. Elle ne demande ni mot de passe ni code.',
  addPasskey: 'Ajouter une clé d’accès',
  makePasskey: 'Continuer sur cet appareil',
  passkeyName: 'Nom de la clé d’accès',
  passkeyNameHint: 'Par exemple l’appareil où elle se trouve.',
  addedOn: (day) => `Ajout : ${day}`,
  remove: 'Retirer',
  removePasskey: (name) => `Retirer ${name}`,
  logInWithPasskey: 'Se connecter avec une clé d’accès',
  passkeyFailed: (reason) =>
    `Cet appareil n’a pas répondu avec une clé d’accès (${reason}). Réessayez, ou utilisez votre mot de passe.`,
  deleteAccount: 'Supprimer le compte',
  whatDeletionDoes:
    'Toutes les clés cessent immédiatement de fonctionner et vous êtes déconnecté partout. Après 14 jours, votre adresse e-mail et les noms de vos clés sont effacés. Les relevés gardent l’identifiant du compte.',
  cannotUndo:
    'C’est irréversible. Tant que votre adresse n’est pas effacée, elle ne peut pas servir à un nouveau compte.',
  typeAddress: (email) => `Pour confirmer, saisissez l’adresse e-mail du compte : ${email}`,
  deleteForGood: 'Supprimer définitivement',
  accountDeleted: 'Votre compte est supprimé.',
  factor: 'Second facteur',
  factorLead:
    'Avec une application d’authentification, la connexion demande votre mot de passe et un code de l’application. Un mot de passe volé ne suffit plus.',
  setUpApp: 'Configurer une application',
  scanCode: 'Scannez ce code avec votre application d’authentification.',
  qrCode: 'Code QR pour l’application d’authentification',
  orTypeSecret: 'Ou saisissez ce secret dans l’application :',
  theSecret: 'le secret',
  code: 'Code',
  codeOfApp: 'Les six chiffres que l’application affiche maintenant.',
  codeOrRecovery:
    'Les six chiffres de votre application d’authentification, ou un code de secours si vous l’avez perdue.',
  turnOn: 'Activer',
  turnOff: 'Désactiver',
  saveCodes:
    'Gardez ces codes de secours en lieu sûr : chacun permet une connexion si vous perdez l’application. Ils ne sont affichés que cette fois.',
  theCodes: 'les codes de secours',
  savedCodes: 'J’ai enregistré les codes',
  factorOn: (day) => `Activé depuis le ${day}. La connexion demande un code de votre application d’authentification.`,
  codesLeft: (count) =>
    count === 0
      ? 'Il ne reste aucun code de secours. Créez-en de nouveaux.'
      : `Il reste ${countOf(count, { one: 'code de secours', other: 'codes de secours' })}.`,
  newCodes: 'Créer de nouveaux codes de secours',
}
