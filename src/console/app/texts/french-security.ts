// The texts of the cards that protect an account, in French.
import type { SecurityTexts } from './english-security.ts'

export const FRENCH_SECURITY: SecurityTexts = {
  enterPassword: 'Saisissez votre mot de passe',
  whyPassword: 'Votre connexion date de plus de 15 minutes. Ce changement nécessite à nouveau votre mot de passe.',
  confirm: 'Continuer',
  sessions: 'Sessions',
  sessionsLead: 'Où ce compte est connecté. Terminer une session ne change rien à vos clés.',
  unknownDevice: 'Navigateur inconnu',
  thisSession: 'cette session',
  startedAt: (when) => `Connexion : ${when}`,
  usedAt: (when) => `dernier usage : ${when}`,
  endOthers: 'Terminer toutes les autres sessions',
}
