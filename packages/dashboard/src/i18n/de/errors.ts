/** Errors of the API and of the client, by code. In English, their own messages are shown. */
export const errors = {
  unauthenticated: 'Die Anmeldung ist nicht mehr gültig. Melden Sie sich erneut an.',
  key_expired: 'Der Schlüssel ist abgelaufen. Melden Sie sich mit einem anderen an.',
  forbidden:
    'Ihr Schlüssel erlaubt das nicht. Melden Sie sich mit einem Schlüssel mit mehr Rechten an.',
  account_suspended:
    'Das Konto ist gesperrt: Lesen geht, Ändern nicht. Unfertige Uploads bleiben erhalten. Wenden Sie sich an den Betreiber des Dienstes.',
  account_deleted:
    'Das Konto wurde gelöscht. Der Betreiber des Dienstes kann es noch wiederherstellen.',
  not_found: 'Das gibt es nicht oder nicht mehr. Vielleicht wurde es gerade gelöscht.',
  too_many_requests: 'Zu viele Anfragen. Warten Sie eine Minute, und versuchen Sie es erneut.',
  overloaded:
    'Der Dienst ist gerade überlastet. Es wurde nichts geändert. Versuchen Sie es gleich noch einmal.',
  internal:
    'Im Dienst ist ein unerwarteter Fehler aufgetreten. Versuchen Sie es erneut. Wenn er wieder auftritt, hilft dem Betreiber das Protokoll des Dienstes.',
  storage_unavailable:
    'Der Speicher ist gerade nicht erreichbar. Es ging nichts verloren. Versuchen Sie es gleich noch einmal.',
  database_unavailable:
    'Die Datenbank ist gerade nicht erreichbar. Es ging nichts verloren. Versuchen Sie es gleich noch einmal.',
  storage_full:
    'Auf dem Server ist nicht genug Platz frei. Löschen Sie Dateien endgültig, leeren Sie den Papierkorb, oder bitten Sie den Betreiber, Platz zu schaffen.',
  secret_key_missing:
    'Der Dienst kann das Geheimnis nicht verschlüsseln, weil sein Schlüssel fehlt oder falsch ist. Bitten Sie den Betreiber, ihn wiederherzustellen: „stowage doctor“ zeigt, wie.',
  already_uploaded: 'Der Upload ist bereits abgeschlossen.',
  upload_completing: 'Der Upload wird gerade abgeschlossen. Warten Sie einen Moment.',
  not_ready:
    'Die Datei wird noch hochgeladen. Schließen Sie zuerst den Upload ab, oder brechen Sie ihn ab.',
  selection_changed:
    'Inzwischen passen andere Assets zur Suche. Prüfen Sie die Liste, und versuchen Sie es erneut.',
  damaged:
    'Die gespeicherte Datei ist beschädigt. Ersetzen Sie die Datei, oder stellen Sie eine andere Version wieder her.',
  verifying:
    'Die gespeicherte Datei wird gerade mit ihrer Prüfsumme verglichen. Versuchen Sie es in einigen Sekunden erneut.',
  replacement_in_progress:
    'Diese Datei wird bereits ersetzt. Setzen Sie den Upload unter „Unfertige Uploads“ fort, oder verwerfen Sie ihn.',
  not_a_file: 'Dieses Asset ist ein Link und hat keine Versionen.',
  current_version:
    'Das ist die aktuelle Version. Stellen Sie zuerst eine andere Version wieder her, oder löschen Sie das Asset.',
  folder_exists:
    'Der Zielordner enthält bereits Assets. Wählen Sie einen anderen Namen, oder führen Sie die Ordner zusammen.',
  folder_move_in_progress:
    'Ein Ordner wird noch verschoben. Versuchen Sie es erneut, wenn das fertig ist.',
  bulk_in_progress: 'Eine Massenänderung läuft noch. Versuchen Sie es erneut, wenn sie fertig ist.',
  not_undoable: 'Diese Änderung lässt sich nicht rückgängig machen.',
  last_manage_key:
    'Das ist der letzte Schlüssel mit der Berechtigung „Verwalten“. Erstellen Sie zuerst einen anderen.',
  too_many_keys:
    'Das Konto hat die höchste Zahl an Schlüsseln erreicht. Widerrufen Sie einen, den Sie nicht brauchen.',
  too_many_webhooks:
    'Das Konto hat die höchste Zahl an Webhooks erreicht. Löschen Sie einen, den Sie nicht brauchen.',
  webhook_disabled: 'Der Webhook ist deaktiviert. Aktivieren Sie ihn zuerst.',
  webhook_busy:
    'Zu viele Anfragen an diesen Webhook warten auf eine Antwort. Versuchen Sie es in einigen Sekunden erneut.',
  delivery_expired:
    'Das Ereignis dieser Zustellung ist nicht mehr gespeichert und kann nicht erneut gesendet werden.',
  mail_not_configured:
    'Dieser Dienst versendet keine E-Mails. Senden Sie dem Käufer die URL selbst.',
  no_email: 'Die Bestellung hat keine E-Mail-Adresse. Tragen Sie eine ein.',
  mail_running: 'Die E-Mail wird gerade gesendet. Warten Sie auf das Ergebnis.',
  notice_ended: 'Die Benachrichtigung ist schon beendet.',
  order_held: 'Die Bestellung ist angehalten. Geben Sie sie zuerst frei.',
  order_expired: 'Die Bestellung ist abgelaufen. Ändern Sie das Ablaufdatum.',
  order_revoked: 'Die Bestellung wurde widerrufen. Erstellen Sie eine neue.',
  limit_reached:
    'Die Datei wurde so oft heruntergeladen, wie die Bestellung erlaubt. Erhöhen Sie die Grenze.',
  archive_outdated:
    'Eine Datei des Archivs wurde gelöscht oder ersetzt. Laden Sie das Archiv von vorn herunter.',
  too_many_downloads:
    'Es laufen zu viele Downloads von Archiven. Warten Sie, bis einer fertig ist.',
  body_too_large: 'Die Anfrage ist zu groß.',
  timeout: 'Der Dienst hat zu lange nicht geantwortet. Versuchen Sie es erneut.',
  bad_response: 'Unerwartete Antwort. Vielleicht antwortet ein Proxy anstelle des Dienstes.',
  file_unreadable:
    'Die Datei kann nicht gelesen werden. Prüfen Sie, ob es sie noch gibt, und wählen Sie sie erneut aus.',
}
