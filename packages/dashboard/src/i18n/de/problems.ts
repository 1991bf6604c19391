/** Messages of the API and of the client, by their English text, with names in braces for what varies. */
export const problems = {
  'must not be empty': 'darf nicht leer sein',
  'must have at most {count} characters': 'darf höchstens {count} Zeichen haben',
  'must be a string of at most {count} characters': 'darf höchstens {count} Zeichen haben',
  'must be a string of 1 to {count} characters': 'muss 1 bis {count} Zeichen haben',
  'must have at most {count} characters in each folder':
    'darf je Ordner höchstens {count} Zeichen haben',
  'must be valid Unicode, without lone surrogates':
    'muss gültiges Unicode ohne einzelne Surrogate sein',
  'must not have control characters': 'darf keine Steuerzeichen enthalten',
  'must not have control characters or lone surrogates':
    'darf keine Steuerzeichen oder einzelnen Surrogate enthalten',
  'must not have line breaks or other control characters':
    'darf keine Zeilenumbrüche oder anderen Steuerzeichen enthalten',
  'must be a name without folders': 'muss ein Name ohne Ordner sein',
  'must separate folders with /, not with \\': 'muss Ordner mit / trennen, nicht mit \\',
  'must be a relative path without empty folders, such as course/week 1':
    'muss ein relativer Pfad ohne leere Ordner sein, zum Beispiel kurs/woche 1',
  'must not contain the folders . or ..': 'darf die Ordner . und .. nicht enthalten',
  'is too long to be compared: use fewer special characters':
    'ist zu lang für einen Vergleich: Verwenden Sie weniger Sonderzeichen',
  'must be a tag of 1 to {count} characters': 'muss ein Tag mit 1 bis {count} Zeichen sein',
  'would be more than the {count} different tags that an account can have: use existing tags, or remove some from all assets':
    'Das Konto hätte damit mehr als {count} verschiedene Tags. Verwenden Sie vorhandene Tags, oder entfernen Sie einige von allen Assets',
  'must not have spaces or control characters: percent-encode them':
    'darf keine Leer- oder Steuerzeichen enthalten: Kodieren Sie sie mit Prozentzeichen',
  'must begin with http:// or https://, and have no backslash':
    'muss mit http:// oder https:// beginnen und darf keinen umgekehrten Schrägstrich enthalten',
  'must be a complete URL, such as https://example.com/file.zip':
    'muss eine vollständige URL sein, zum Beispiel https://example.com/datei.zip',
  'must be an http or https URL of at most {count} characters':
    'muss eine URL mit http oder https und höchstens {count} Zeichen sein',
  'must not contain a user name or password':
    'darf keinen Benutzernamen und kein Passwort enthalten',
  'must not have a fragment (#…)': 'darf kein Fragment (#…) enthalten',
  'must be a number of bytes, or a string such as 10MB or 1.5 GB':
    'muss eine Zahl in Bytes sein, oder eine Angabe wie 10MB oder 1.5 GB',
  'must be a media type such as application/zip':
    'muss ein Medientyp sein, zum Beispiel application/zip',
  'must describe what the key is for, without control characters':
    'muss beschreiben, wofür der Schlüssel ist, ohne Steuerzeichen',
  'must be an e-mail address of at most {count} characters, or null':
    'muss eine E-Mail-Adresse mit höchstens {count} Zeichen sein',
  'must be a whole number of 1 or more': 'muss eine ganze Zahl ab 1 sein',
  'must be a color such as #0b7285, or null': 'muss eine Farbe sein, zum Beispiel #0b7285',
  'must name at least one product, unless assets names an asset':
    'muss mindestens ein Produkt oder ein Asset nennen',
  'has unknown placeholders: {names}. Known are {list}':
    'hat unbekannte Platzhalter: {names}. Bekannt sind {list}',
  'has the placeholder {{name}} too often: at most {count}':
    'hat den Platzhalter {{name}} zu oft: höchstens {count}',
  'must have the placeholder {{required}}, so that buyers find their files':
    'muss den Platzhalter {{required}} haben, damit Käufer ihre Dateien finden',
  'must be a line of 1 to {count} characters': 'muss eine Zeile mit 1 bis {count} Zeichen sein',
  'must be a text of 1 to {count} characters, with \\n at the end of lines':
    'muss ein Text mit 1 bis {count} Zeichen sein',
  'is required': 'wird benötigt',
  'contains unknown values: {values}': 'enthält unbekannte Werte: {values}',
  'is missing': 'fehlt',
  'was rounded by a spreadsheet. Format the column as text':
    'wurde von einer Tabellenkalkulation gerundet. Formatieren Sie die Spalte als Text',
  'must be a whole number from 0 to {count}': 'muss eine ganze Zahl von 0 bis {count} sein',
  'must be a string': 'muss ein Text sein',
  'must be an array of strings': 'muss eine Liste von Texten sein',
  'must have at most {count} tags': 'darf höchstens {count} Tags haben',
  'No mail server is configured, so the mail was not sent. Set STOWAGE_SMTP_URL and STOWAGE_MAIL_FROM.':
    'Kein Mailserver ist konfiguriert, daher wurde die E-Mail nicht gesendet. Setzen Sie STOWAGE_SMTP_URL und STOWAGE_MAIL_FROM.',
  'There are no orders with this address.': 'Es gibt keine Bestellungen mit dieser Adresse.',
  'There is no such order.': 'Diese Bestellung gibt es nicht.',
  'The order was revoked.': 'Die Bestellung wurde widerrufen.',
  'The order has expired.': 'Die Bestellung ist abgelaufen.',
  'The order is held. The mail is sent when it is released.':
    'Die Bestellung ist angehalten. Die E-Mail wird gesendet, wenn sie freigegeben wird.',
  'The URL of the order cannot be shown, because the secret key was replaced.':
    'Die URL der Bestellung kann nicht gezeigt werden, weil der geheime Schlüssel ersetzt wurde.',
  'The file was deleted.': 'Die Datei wurde gelöscht.',
  'The buyer wants no more news.': 'Der Käufer möchte keine Nachrichten mehr.',
  'The file lacks the column {columns}.': 'In der Datei fehlt die Spalte {columns}.',
  'The file lacks the columns {columns}.': 'In der Datei fehlen die Spalten {columns}.',
  'The line has more fields than the header. If a field contains the separator, enclose the whole field in double quotes.':
    'Die Zeile hat mehr Felder als die Kopfzeile. Wenn ein Feld das Trennzeichen enthält, setzen Sie das ganze Feld in doppelte Anführungszeichen.',
  'The line opens a quote (") that is never closed.':
    'Die Zeile öffnet ein Anführungszeichen ("), das nie geschlossen wird.',
  'The line has text after a closing quote. Inside quotes, write each quote twice ("").':
    'Die Zeile hat Text nach einem schließenden Anführungszeichen. Schreiben Sie Anführungszeichen innerhalb von Anführungszeichen doppelt ("").',
  'The entry is not a product.': 'Der Eintrag ist kein Produkt.',
  'A variant of the product is not an object.': 'Eine Variante des Produkts ist kein Objekt.',
  'The file contains no list of products: expected [ … ] or {"products": [ … ]}.':
    'Die Datei enthält keine Liste von Produkten: erwartet wird [ … ] oder {"products": [ … ]}.',
  'Invalid JSON: {reason}.': 'Ungültiges JSON: {reason}.',
  'The product and variant are the same as in {position}.':
    'Produkt und Variante sind dieselben wie in {position}.',
  'The file contains no products.': 'Die Datei enthält keine Produkte.',
  'The file is not UTF-8 text. In a spreadsheet, save it as “CSV UTF-8”; a workbook (.xlsx) cannot be read.':
    'Die Datei ist kein UTF-8-Text. Speichern Sie sie in der Tabellenkalkulation als „CSV UTF-8“; eine Arbeitsmappe (.xlsx) kann nicht gelesen werden.',
}
