import type { problems as German } from '../de/problems.ts'
import type { Translation } from '../texts.ts'

export const problems: Translation<typeof German> = {
  'must not be empty': 'ne doit pas être vide',
  'must have at most {count} characters': 'doit contenir au plus {count} caractères',
  'must be a string of at most {count} characters': 'doit contenir au plus {count} caractères',
  'must be a string of 1 to {count} characters': 'doit contenir de 1 à {count} caractères',
  'must have at most {count} characters in each folder':
    'doit contenir au plus {count} caractères par dossier',
  'must be valid Unicode, without lone surrogates':
    'doit être de l’Unicode valide, sans substituts isolés',
  'must not have control characters': 'ne doit pas contenir de caractères de contrôle',
  'must not have control characters or lone surrogates':
    'ne doit pas contenir de caractères de contrôle ni de substituts isolés',
  'must not have line breaks or other control characters':
    'ne doit pas contenir de sauts de ligne ni d’autres caractères de contrôle',
  'must be a name without folders': 'doit être un nom sans dossier',
  'must separate folders with /, not with \\': 'doit séparer les dossiers par /, et non par \\',
  'must be a relative path without empty folders, such as course/week 1':
    'doit être un chemin relatif sans dossier vide, comme cours/semaine 1',
  'must not contain the folders . or ..': 'ne doit pas contenir les dossiers . ou ..',
  'is too long to be compared: use fewer special characters':
    'est trop long pour être comparé : utilisez moins de caractères spéciaux',
  'must be a tag of 1 to {count} characters': 'doit être une étiquette de 1 à {count} caractères',
  'would be more than the {count} different tags that an account can have: use existing tags, or remove some from all assets':
    'dépasserait les {count} étiquettes différentes qu’un compte peut avoir : utilisez des étiquettes existantes, ou retirez-en de toutes les ressources',
  'must not have spaces or control characters: percent-encode them':
    'ne doit pas contenir d’espaces ni de caractères de contrôle : encodez-les avec des pourcents',
  'must begin with http:// or https://, and have no backslash':
    'doit commencer par http:// ou https:// et ne pas contenir de barre oblique inverse',
  'must be a complete URL, such as https://example.com/file.zip':
    'doit être une URL complète, comme https://example.com/fichier.zip',
  'must be an http or https URL of at most {count} characters':
    'doit être une URL http ou https d’au plus {count} caractères',
  'must not contain a user name or password':
    'ne doit contenir ni nom d’utilisateur ni mot de passe',
  'must not have a fragment (#…)': 'ne doit pas avoir de fragment (#…)',
  'must be a number of bytes, or a string such as 10MB or 1.5 GB':
    'doit être un nombre d’octets, ou une valeur comme 10MB ou 1.5 GB',
  'must be a media type such as application/zip':
    'doit être un type de média, comme application/zip',
  'must describe what the key is for, without control characters':
    'doit décrire l’usage de la clé, sans caractères de contrôle',
  'must be an e-mail address of at most {count} characters, or null':
    'doit être une adresse e-mail d’au plus {count} caractères',
  'must be a whole number of 1 or more': 'doit être un nombre entier supérieur ou égal à 1',
  'must be a color such as #0b7285, or null': 'doit être une couleur, comme #0b7285',
  'must name at least one product, unless assets names an asset':
    'doit indiquer au moins un produit ou une ressource',
  'has unknown placeholders: {names}. Known are {list}':
    'contient des variables inconnues : {names}. Sont connues : {list}',
  'has the placeholder {{name}} too often: at most {count}':
    'contient la variable {{name}} trop souvent : au plus {count}',
  'must have the placeholder {{required}}, so that buyers find their files':
    'doit contenir la variable {{required}}, pour que les acheteurs trouvent leurs fichiers',
  'must be a line of 1 to {count} characters': 'doit être une ligne de 1 à {count} caractères',
  'must be a text of 1 to {count} characters, with \\n at the end of lines':
    'doit être un texte de 1 à {count} caractères',
  'is required': 'est obligatoire',
  'contains unknown values: {values}': 'contient des valeurs inconnues : {values}',
  'is missing': 'est manquant',
  'was rounded by a spreadsheet. Format the column as text':
    'a été arrondi par un tableur. Mettez la colonne au format texte',
  'must be a whole number from 0 to {count}': 'doit être un nombre entier de 0 à {count}',
  'must be a string': 'doit être un texte',
  'must be an array of strings': 'doit être une liste de textes',
  'must have at most {count} tags': 'doit avoir au plus {count} étiquettes',
  'No mail server is configured, so the mail was not sent. Set STOWAGE_SMTP_URL and STOWAGE_MAIL_FROM.':
    'Aucun serveur de messagerie n’est configuré, l’e-mail n’a donc pas été envoyé. Définissez STOWAGE_SMTP_URL et STOWAGE_MAIL_FROM.',
  'There are no orders with this address.': 'Il n’y a aucune commande avec cette adresse.',
  'There is no such order.': 'Cette commande n’existe pas.',
  'The order was revoked.': 'La commande a été révoquée.',
  'The order has expired.': 'La commande a expiré.',
  'The order is held. The mail is sent when it is released.':
    'La commande est en attente. L’e-mail sera envoyé quand elle sera libérée.',
  'The URL of the order cannot be shown, because the secret key was replaced.':
    'L’URL de la commande ne peut pas être affichée, car la clé secrète a été remplacée.',
  'The file was deleted.': 'Le fichier a été supprimé.',
  'The buyer wants no more news.': 'L’acheteur ne veut plus d’annonces.',
  'The file lacks the column {columns}.': 'Il manque la colonne {columns} dans le fichier.',
  'The file lacks the columns {columns}.': 'Il manque les colonnes {columns} dans le fichier.',
  'The line has more fields than the header. If a field contains the separator, enclose the whole field in double quotes.':
    'La ligne a plus de champs que l’en-tête. Si un champ contient le séparateur, mettez tout le champ entre guillemets doubles.',
  'The line opens a quote (") that is never closed.':
    'La ligne ouvre un guillemet (") qui n’est jamais fermé.',
  'The line has text after a closing quote. Inside quotes, write each quote twice ("").':
    'La ligne contient du texte après un guillemet fermant. À l’intérieur de guillemets, doublez chaque guillemet ("").',
  'The entry is not a product.': 'L’entrée n’est pas un produit.',
  'A variant of the product is not an object.': 'Une variante du produit n’est pas un objet.',
  'The file contains no list of products: expected [ … ] or {"products": [ … ]}.':
    'Le fichier ne contient pas de liste de produits : [ … ] ou {"products": [ … ]} attendu.',
  'Invalid JSON: {reason}.': 'JSON non valide : {reason}.',
  'The product and variant are the same as in {position}.':
    'Le produit et la variante sont les mêmes que dans {position}.',
  'The file contains no products.': 'Le fichier ne contient aucun produit.',
  'The file is not UTF-8 text. In a spreadsheet, save it as “CSV UTF-8”; a workbook (.xlsx) cannot be read.':
    'Le fichier n’est pas un texte UTF-8. Dans un tableur, enregistrez-le en « CSV UTF-8 » ; un classeur (.xlsx) ne peut pas être lu.',
}
