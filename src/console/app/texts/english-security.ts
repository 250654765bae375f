// The texts of the cards that protect an account, in English. Its type is that of every other language's table.

export const ENGLISH_SECURITY = {
  enterPassword: 'Enter your password',
  whyPassword: 'You logged in more than 15 minutes ago. This change needs your password again.',
  confirm: 'Continue',
  sessions: 'Sessions',
  sessionsLead: 'Where this account is logged in. Ending a session does not affect your keys.',
  unknownDevice: 'Unknown browser',
  thisSession: 'this session',
  startedAt: (when: string) => `Logged in ${when}`,
  usedAt: (when: string) => `last used ${when}`,
  endOthers: 'End all other sessions',
}

/** The table of a language. */
export type SecurityTexts = typeof ENGLISH_SECURITY
