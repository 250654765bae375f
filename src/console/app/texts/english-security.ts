// The English wording of the cards that protect an account. The tables for other languages have the type of this one.
import { countOf } from '../../../pages/app/language.ts'

export const ENGLISH_SECURITY = {
  enterPassword: 'Enter your password',
  whyPassword: 'You logged in more than 15 minutes ago. To make this change, enter your password again.',
  confirm: 'Continue',
  sessions: 'Sessions',
  sessionsLead: 'Where this account is logged in. Ending a session does not affect your keys.',
  unknownDevice: 'Unknown browser',
  /** @param name the device's English name, as the service returns it: "Firefox on Linux" */
  device: (name: string) => name,
  thisSession: 'this session',
  startedAt: (when: string) => `Logged in ${when}`,
  usedAt: (when: string) => `last used ${when}`,
  endOthers: 'End all other sessions',
  changeAddress: 'Change email address',
  newAddress: 'New email address',
  addressLinkSent: (email: string) =>
    `We sent a link to ${email}. Your address changes when you open it. We also notify your current address.`,
  confirmNewAddress: 'Confirm that your account uses this address from now on.',
  useAddress: 'Use this address',
  addressChanged: 'Your account now uses this address. Log in with it from now on.',
  toSettings: 'Go to settings',
  close: 'Close',
  passkeys: 'Passkeys',
  passkeysLead:
    'A passkey logs you in with the PIN, finger or face that unlocks your device. It needs no password and no code.',
  addPasskey: 'Add a passkey',
  makePasskey: 'Continue on this device',
  passkeyName: 'Passkey name',
  passkeyNameHint: 'For example, the device it is on.',
  addedOn: (day: string) => `Added ${day}`,
  remove: 'Remove',
  removePasskey: (name: string) => `Remove ${name}`,
  logInWithPasskey: 'Log in with a passkey',
  passkeyFailed: (reason: string) =>
    `This device did not provide a passkey (${reason}). Try again, or use your password.`,
  deleteAccount: 'Delete account',
  whatDeletionDoes:
    'All keys stop working immediately and you are logged out everywhere. After 14 days we erase your email address and the names of your keys. Statements keep the account id.',
  cannotUndo: 'This can’t be undone. Until your address is erased, it can’t be used for a new account.',
  typeAddress: (email: string) => `To confirm, type your account’s email address: ${email}`,
  deleteForGood: 'Delete for good',
  accountDeleted: 'Your account is deleted.',
  factor: 'Second factor',
  factorLead:
    'With an authenticator app, logging in requires your password and a code from the app. A stolen password alone is not enough.',
  setUpApp: 'Set up an app',
  scanCode: 'Scan this code with your authenticator app.',
  qrCode: 'QR code for the authenticator app',
  orTypeSecret: 'Or type this secret into the app:',
  theSecret: 'the secret',
  code: 'Code',
  codeOfApp: 'The six digits the app shows now.',
  codeOrRecovery: 'The six digits from your authenticator app, or a recovery code if you lost the app.',
  turnOn: 'Turn on',
  turnOff: 'Turn off',
  saveCodes:
    'Keep these recovery codes in a safe place: each logs you in once if you lose the app. This is the only time they are shown.',
  theCodes: 'the recovery codes',
  savedCodes: 'I’ve saved the codes',
  factorOn: (day: string) => `On since ${day}. Logging in requires a code from your authenticator app.`,
  codesLeft: (count: number) =>
    count === 0
      ? 'No recovery codes are left. Create new ones.'
      : `${countOf(count, { one: 'recovery code', other: 'recovery codes' })} left.`,
  newCodes: 'Create new recovery codes',
}

/** The type of the table for each language. */
export type SecurityTexts = typeof ENGLISH_SECURITY
