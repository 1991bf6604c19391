import { texts } from '../texts.ts'

export const session = texts('session', {
  title: 'Sign in',
  heading: 'Sign in to Stowage',
  apiKey: 'API key',
  remember: 'Stay signed in for 30 days',
  rememberHint: 'Otherwise you are signed out when you close the browser, or after 7 days.',
  noKey: 'No key yet? On the server, in the folder of the service, run:',
  keyOnce:
    'The new key is printed only once. To use the service without the dashboard, see the {reference}.',
  reference: 'API reference',
  keyHint: 'Key …{end}',
  ended: 'Your session has ended. Sign in again.',
  invalidKey: 'Invalid API key.',
  noCookie:
    'The browser did not keep the session. Allow cookies for this page, and open the dashboard at the URL of the service (STOWAGE_BASE_URL).',
  unreachable: 'Could not reach the service.',
  unexpected: 'Unexpected response (HTTP {status}).',
  signOutFailed: 'Could not sign out',
  showKey: 'Toggle password visibility',
})
