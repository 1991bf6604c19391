import type { session as English } from '../en/session.ts'
import type { Translation } from '../texts.ts'

export const session: Translation<typeof English> = {
  title: 'Anmelden',
  heading: 'Bei Stowage anmelden',
  apiKey: 'API-Schlüssel',
  remember: '30 Tage angemeldet bleiben',
  rememberHint: 'Sonst werden Sie abgemeldet, wenn Sie den Browser schließen, oder nach 7 Tagen.',
  noKey: 'Noch kein Schlüssel? Führen Sie auf dem Server im Ordner des Dienstes diesen Befehl aus:',
  keyOnce:
    'Der neue Schlüssel wird nur einmal ausgegeben. Wie Sie den Dienst ohne Dashboard nutzen, steht in der {reference}.',
  reference: 'API-Referenz',
  keyHint: 'Schlüssel …{end}',
  ended: 'Ihre Sitzung ist beendet. Melden Sie sich erneut an.',
  invalidKey: 'Ungültiger API-Schlüssel.',
  noCookie:
    'Der Browser hat die Sitzung nicht gespeichert. Erlauben Sie Cookies für diese Seite, und öffnen Sie das Dashboard unter der URL des Dienstes (STOWAGE_BASE_URL).',
  unreachable: 'Der Dienst ist nicht erreichbar.',
  unexpected: 'Unerwartete Antwort (HTTP {status}).',
  signOutFailed: 'Die Abmeldung ist fehlgeschlagen',
  showKey: 'Schlüssel ein- oder ausblenden',
}
