import type { settings as English } from '../en/settings.ts'
import type { Translation } from '../texts.ts'

export const settings: Translation<typeof English> = {
  title: 'Einstellungen',
  account: 'Konto',
  name: 'Name',
  plan: 'Tarif',
  used: 'Belegt',
  usedIn: '{size} in {assets}',
  viewUsage: 'Speicherbelegung ansehen',
  access: 'Zugang',
  openAccess:
    'Dieser Dienst verlangt keinen Schlüssel. Wer diesen Computer benutzt, hat vollen Zugriff. Andere Computer können sich nicht verbinden.',
  requireKeys:
    'Um Schlüssel zu verlangen, erstellen Sie unten einen Schlüssel mit der Berechtigung „Verwalten“, setzen Sie {auth} und starten Sie den Dienst neu. Um Verbindungen von anderen Computern zuzulassen, setzen Sie außerdem {host}.',
  signedIn: 'Sie sind mit dem Schlüssel {key} angemeldet.',
  signedInUntil: 'Sie sind mit dem Schlüssel {key} angemeldet, längstens bis {date}.',
  signOutHint:
    'Mit „Abmelden“ oben auf jeder Seite melden Sie sich in allen Tabs dieses Browsers ab.',
  appearance: 'Darstellung',
  colorScheme: 'Farbschema',
  schemes: {
    light: 'Hell',
    dark: 'Dunkel',
    auto: 'System',
  },
  apiKeys: 'API-Schlüssel',
  createKey: 'Schlüssel erstellen',
  keysIgnored: 'Der Dienst beachtet Schlüssel erst, wenn er sie verlangt (STOWAGE_AUTH=keys).',
  noKeys: 'Noch keine Schlüssel. Erstellen Sie einen für jedes Programm, das den Dienst aufruft.',
  allRevoked:
    'Alle Schlüssel sind widerrufen oder abgelaufen. Erstellen Sie einen für jedes Programm, das den Dienst aufruft.',
  showRevoked: 'Widerrufene und abgelaufene Schlüssel anzeigen ({count})',
  noAccess: 'Ihr Schlüssel kann keine API-Schlüssel verwalten',
  noAccessHint:
    'Um Schlüssel zu verwalten, brauchen Sie einen Schlüssel mit der Berechtigung „Verwalten“. Melden Sie sich mit einem solchen an, oder bitten Sie den Betreiber des Dienstes darum.',
  scope: 'Berechtigung',
  key: 'Schlüssel',
  created: 'Erstellt',
  lastUsed: 'Zuletzt benutzt',
  neverUsed: 'Nie benutzt',
  revoke: 'Widerrufen',
  revokeNamed: '{name} widerrufen',
  currentKey: 'Aktueller Schlüssel',
  revoked: 'Widerrufen am {date}',
  scopeNames: {
    read: 'Lesen',
    write: 'Schreiben',
    manage: 'Verwalten',
  },
  scopes: {
    read: 'Lesen',
    write: 'Schreiben',
    manage: 'Verwalten',
  },
  scopeHints: {
    read: 'Auflisten und herunterladen.',
    write: 'Lesen, außerdem hochladen, bearbeiten, zuordnen und löschen.',
    manage: 'Schreiben, außerdem Schlüssel und Webhooks verwalten.',
  },
  expires: 'Läuft ab',
  expiresHint:
    'Am Ende dieses Tages. Ist das Feld leer, gilt der Schlüssel, bis Sie ihn widerrufen.',
  expiresOn: 'Läuft am {date} ab',
  expired: 'Abgelaufen am {date}',
  expiringKeys: {
    one: '{count} Schlüssel läuft bald ab',
    other: '{count} Schlüssel laufen bald ab',
  },
  expiringKeysHint:
    'Der Dienst lehnt alle Anfragen mit einem abgelaufenen Schlüssel ab. Erstellen Sie vorher einen neuen, und verwenden Sie ihn stattdessen.',
  newKey: 'Ihr neuer Schlüssel',
  newKeyHint: 'Bewahren Sie ihn wie ein Passwort auf. Wer den Schlüssel hat, kann ihn benutzen.',
  createFailed: 'Der Schlüssel konnte nicht erstellt werden',
  create: 'Erstellen',
  nameHint: 'Wo der Schlüssel benutzt wird, damit Sie später wissen, welchen Sie widerrufen müssen',
  namePlaceholder: 'Shop-Backend',
  keyRevoked: 'Schlüssel widerrufen',
  revokeKeyQuestion: 'Diesen Schlüssel widerrufen?',
  revokeKey: 'Schlüssel widerrufen',
  revokeKeyFailed: 'Der Schlüssel konnte nicht widerrufen werden',
  revokeKeyHint:
    'Der Dienst lehnt dann alle Anfragen mit diesem Schlüssel und seinen Upload-Tokens ab. Das kann nicht rückgängig gemacht werden, aber Sie können einen neuen Schlüssel erstellen.',
  ownKey: 'Sie sind mit diesem Schlüssel angemeldet',
  ownKeyHint: 'Sie müssen sich dann mit einem anderen Schlüssel anmelden.',
  uploadTokens: 'Upload-Tokens',
  noTokens:
    'Zurzeit sind keine Upload-Tokens gültig. Ihr Shop erstellt eines, wenn ein Besucher eine Datei hochlädt.',
  newestTokens: {
    one: 'Das neueste von {total} Tokens.',
    other: 'Die neuesten {count} von {total} Tokens.',
  },
  untilDate: 'Bis {date}',
  revokeTokenNamed: 'Token für {limits} widerrufen',
  newVersions: 'Neue Versionen einer Datei',
  onOrigin: 'auf {origin}',
  tokenRevoked: 'Upload-Token widerrufen',
  revokeTokenQuestion: 'Dieses Upload-Token widerrufen?',
  revokeToken: 'Token widerrufen',
  revokeTokenFailed: 'Das Token konnte nicht widerrufen werden',
  revokeTokenHint:
    'Seiten mit diesem Token können nichts mehr hochladen, und ihre unfertigen Uploads enden. Hochgeladene Dateien bleiben.',
}
