import type { problems as German } from '../de/problems.ts'
import type { Translation } from '../texts.ts'

export const problems: Translation<typeof German> = {
  'must not be empty': 'no debe estar vacío',
  'must have at most {count} characters': 'debe tener como máximo {count} caracteres',
  'must be a string of at most {count} characters': 'debe tener como máximo {count} caracteres',
  'must be a string of 1 to {count} characters': 'debe tener de 1 a {count} caracteres',
  'must have at most {count} characters in each folder':
    'debe tener como máximo {count} caracteres por carpeta',
  'must be valid Unicode, without lone surrogates':
    'debe ser Unicode válido, sin sustitutos sueltos',
  'must not have control characters': 'no debe tener caracteres de control',
  'must not have control characters or lone surrogates':
    'no debe tener caracteres de control ni sustitutos sueltos',
  'must not have line breaks or other control characters':
    'no debe tener saltos de línea ni otros caracteres de control',
  'must be a name without folders': 'debe ser un nombre sin carpetas',
  'must separate folders with /, not with \\': 'debe separar las carpetas con /, no con \\',
  'must be a relative path without empty folders, such as course/week 1':
    'debe ser una ruta relativa sin carpetas vacías, como curso/semana 1',
  'must not contain the folders . or ..': 'no debe contener las carpetas . ni ..',
  'is too long to be compared: use fewer special characters':
    'es demasiado largo para compararlo: use menos caracteres especiales',
  'must be a tag of 1 to {count} characters': 'debe ser una etiqueta de 1 a {count} caracteres',
  'would be more than the {count} different tags that an account can have: use existing tags, or remove some from all assets':
    'superaría las {count} etiquetas distintas que puede tener una cuenta: use etiquetas existentes o quite algunas de todos los recursos',
  'must not have spaces or control characters: percent-encode them':
    'no debe tener espacios ni caracteres de control: codifíquelos con porcentajes',
  'must begin with http:// or https://, and have no backslash':
    'debe empezar por http:// o https:// y no tener barras invertidas',
  'must be a complete URL, such as https://example.com/file.zip':
    'debe ser una URL completa, como https://example.com/archivo.zip',
  'must be an http or https URL of at most {count} characters':
    'debe ser una URL http o https de {count} caracteres como máximo',
  'must not contain a user name or password': 'no debe contener nombre de usuario ni contraseña',
  'must not have a fragment (#…)': 'no debe tener un fragmento (#…)',
  'must be a number of bytes, or a string such as 10MB or 1.5 GB':
    'debe ser un número de bytes o un valor como 10MB o 1.5 GB',
  'must be a media type such as application/zip': 'debe ser un tipo de medio, como application/zip',
  'must describe what the key is for, without control characters':
    'debe describir para qué es la clave, sin caracteres de control',
  'must be an e-mail address of at most {count} characters, or null':
    'debe ser una dirección de correo de {count} caracteres como máximo',
  'must be a whole number of 1 or more': 'debe ser un número entero de 1 o más',
  'must be a color such as #0b7285, or null': 'debe ser un color, como #0b7285',
  'must name at least one product, unless assets names an asset':
    'debe indicar al menos un producto o un recurso',
  'has unknown placeholders: {names}. Known are {list}':
    'contiene variables desconocidas: {names}. Se conocen {list}',
  'has the placeholder {{name}} too often: at most {count}':
    'contiene la variable {{name}} demasiadas veces: como máximo {count}',
  'must have the placeholder {{required}}, so that buyers find their files':
    'debe contener la variable {{required}}, para que los compradores encuentren sus archivos',
  'must be a line of 1 to {count} characters': 'debe ser una línea de 1 a {count} caracteres',
  'must be a text of 1 to {count} characters, with \\n at the end of lines':
    'debe ser un texto de 1 a {count} caracteres',
  'is required': 'es obligatorio',
  'contains unknown values: {values}': 'contiene valores desconocidos: {values}',
  'is missing': 'falta',
  'was rounded by a spreadsheet. Format the column as text':
    'fue redondeado por una hoja de cálculo. Dé formato de texto a la columna',
  'must be a whole number from 0 to {count}': 'debe ser un número entero de 0 a {count}',
  'must be a string': 'debe ser un texto',
  'must be an array of strings': 'debe ser una lista de textos',
  'must have at most {count} tags': 'debe tener como máximo {count} etiquetas',
  'No mail server is configured, so the mail was not sent. Set STOWAGE_SMTP_URL and STOWAGE_MAIL_FROM.':
    'No hay ningún servidor de correo configurado, por lo que el correo no se envió. Defina STOWAGE_SMTP_URL y STOWAGE_MAIL_FROM.',
  'There are no orders with this address.': 'No hay pedidos con esta dirección.',
  'There is no such order.': 'Ese pedido no existe.',
  'The order was revoked.': 'El pedido se revocó.',
  'The order has expired.': 'El pedido ha caducado.',
  'The order is held. The mail is sent when it is released.':
    'El pedido está retenido. El correo se enviará cuando se libere.',
  'The URL of the order cannot be shown, because the secret key was replaced.':
    'La URL del pedido no se puede mostrar, porque se reemplazó la clave secreta.',
  'The file was deleted.': 'El archivo se eliminó.',
  'The buyer wants no more news.': 'El comprador no quiere más avisos.',
  'The file lacks the column {columns}.': 'Al archivo le falta la columna {columns}.',
  'The file lacks the columns {columns}.': 'Al archivo le faltan las columnas {columns}.',
  'The line has more fields than the header. If a field contains the separator, enclose the whole field in double quotes.':
    'La línea tiene más campos que el encabezado. Si un campo contiene el separador, ponga todo el campo entre comillas dobles.',
  'The line opens a quote (") that is never closed.':
    'La línea abre una comilla (") que nunca se cierra.',
  'The line has text after a closing quote. Inside quotes, write each quote twice ("").':
    'La línea tiene texto después de una comilla de cierre. Dentro de comillas, escriba cada comilla dos veces ("").',
  'The entry is not a product.': 'La entrada no es un producto.',
  'A variant of the product is not an object.': 'Una variante del producto no es un objeto.',
  'The file contains no list of products: expected [ … ] or {"products": [ … ]}.':
    'El archivo no contiene una lista de productos: se esperaba [ … ] o {"products": [ … ]}.',
  'Invalid JSON: {reason}.': 'JSON no válido: {reason}.',
  'The product and variant are the same as in {position}.':
    'El producto y la variante son los mismos que en {position}.',
  'The file contains no products.': 'El archivo no contiene productos.',
  'The file is not UTF-8 text. In a spreadsheet, save it as “CSV UTF-8”; a workbook (.xlsx) cannot be read.':
    'El archivo no es texto UTF-8. En una hoja de cálculo, guárdelo como «CSV UTF-8»; un libro (.xlsx) no se puede leer.',
}
