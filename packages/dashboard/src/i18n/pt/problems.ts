import type { problems as German } from '../de/problems.ts'
import type { Translation } from '../texts.ts'

export const problems: Translation<typeof German> = {
  'must not be empty': 'não pode ficar vazio',
  'must have at most {count} characters': 'deve ter no máximo {count} caracteres',
  'must be a string of at most {count} characters': 'deve ter no máximo {count} caracteres',
  'must be a string of 1 to {count} characters': 'deve ter de 1 a {count} caracteres',
  'must have at most {count} characters in each folder':
    'deve ter no máximo {count} caracteres por pasta',
  'must be valid Unicode, without lone surrogates':
    'deve ser Unicode válido, sem substitutos isolados',
  'must not have control characters': 'não pode ter caracteres de controle',
  'must not have control characters or lone surrogates':
    'não pode ter caracteres de controle nem substitutos isolados',
  'must not have line breaks or other control characters':
    'não pode ter quebras de linha nem outros caracteres de controle',
  'must be a name without folders': 'deve ser um nome sem pastas',
  'must separate folders with /, not with \\': 'deve separar as pastas com /, e não com \\',
  'must be a relative path without empty folders, such as course/week 1':
    'deve ser um caminho relativo sem pastas vazias, como curso/semana 1',
  'must not contain the folders . or ..': 'não pode conter as pastas . ou ..',
  'is too long to be compared: use fewer special characters':
    'é longo demais para ser comparado: use menos caracteres especiais',
  'must be a tag of 1 to {count} characters': 'deve ser uma tag de 1 a {count} caracteres',
  'would be more than the {count} different tags that an account can have: use existing tags, or remove some from all assets':
    'ultrapassaria as {count} tags diferentes que uma conta pode ter: use tags existentes ou remova algumas de todos os ativos',
  'must not have spaces or control characters: percent-encode them':
    'não pode ter espaços nem caracteres de controle: codifique-os com porcentagens',
  'must begin with http:// or https://, and have no backslash':
    'deve começar com http:// ou https:// e não ter barra invertida',
  'must be a complete URL, such as https://example.com/file.zip':
    'deve ser uma URL completa, como https://example.com/arquivo.zip',
  'must be an http or https URL of at most {count} characters':
    'deve ser uma URL http ou https de no máximo {count} caracteres',
  'must not contain a user name or password': 'não pode conter nome de usuário nem senha',
  'must not have a fragment (#…)': 'não pode ter um fragmento (#…)',
  'must be a number of bytes, or a string such as 10MB or 1.5 GB':
    'deve ser um número de bytes ou um valor como 10MB ou 1.5 GB',
  'must be a media type such as application/zip': 'deve ser um tipo de mídia, como application/zip',
  'must describe what the key is for, without control characters':
    'deve descrever para que serve a chave, sem caracteres de controle',
  'must be an e-mail address of at most {count} characters, or null':
    'deve ser um endereço de e-mail de no máximo {count} caracteres',
  'must be a whole number of 1 or more': 'deve ser um número inteiro a partir de 1',
  'must be a color such as #0b7285, or null': 'deve ser uma cor, como #0b7285',
  'must name at least one product, unless assets names an asset':
    'deve indicar pelo menos um produto ou um ativo',
  'has unknown placeholders: {names}. Known are {list}':
    'contém variáveis desconhecidas: {names}. As conhecidas são {list}',
  'has the placeholder {{name}} too often: at most {count}':
    'contém a variável {{name}} vezes demais: no máximo {count}',
  'must have the placeholder {{required}}, so that buyers find their files':
    'precisa conter a variável {{required}}, para que os compradores encontrem os arquivos',
  'must be a line of 1 to {count} characters': 'precisa ser uma linha de 1 a {count} caracteres',
  'must be a text of 1 to {count} characters, with \\n at the end of lines':
    'precisa ser um texto de 1 a {count} caracteres',
  'is required': 'é obrigatório',
  'contains unknown values: {values}': 'contém valores desconhecidos: {values}',
  'is missing': 'está faltando',
  'was rounded by a spreadsheet. Format the column as text':
    'foi arredondado por uma planilha. Formate a coluna como texto',
  'must be a whole number from 0 to {count}': 'deve ser um número inteiro de 0 a {count}',
  'must be a string': 'deve ser um texto',
  'must be an array of strings': 'deve ser uma lista de textos',
  'must have at most {count} tags': 'deve ter no máximo {count} tags',
  'No mail server is configured, so the mail was not sent. Set STOWAGE_SMTP_URL and STOWAGE_MAIL_FROM.':
    'Nenhum servidor de e-mail está configurado, por isso o e-mail não foi enviado. Defina STOWAGE_SMTP_URL e STOWAGE_MAIL_FROM.',
  'There are no orders with this address.': 'Não há pedidos com este endereço.',
  'There is no such order.': 'Esse pedido não existe.',
  'The order was revoked.': 'O pedido foi revogado.',
  'The order has expired.': 'O pedido expirou.',
  'The order is held. The mail is sent when it is released.':
    'O pedido está retido. O e-mail será enviado quando for liberado.',
  'The URL of the order cannot be shown, because the secret key was replaced.':
    'A URL do pedido não pode ser mostrada, porque a chave secreta foi substituída.',
  'The file was deleted.': 'O arquivo foi excluído.',
  'The buyer wants no more news.': 'O comprador não quer mais avisos.',
  'The file lacks the column {columns}.': 'Falta a coluna {columns} no arquivo.',
  'The file lacks the columns {columns}.': 'Faltam as colunas {columns} no arquivo.',
  'The line has more fields than the header. If a field contains the separator, enclose the whole field in double quotes.':
    'A linha tem mais campos que o cabeçalho. Se um campo contém o separador, coloque o campo inteiro entre aspas duplas.',
  'The line opens a quote (") that is never closed.':
    'A linha abre uma aspa (") que nunca é fechada.',
  'The line has text after a closing quote. Inside quotes, write each quote twice ("").':
    'A linha tem texto depois de uma aspa de fechamento. Dentro de aspas, escreva cada aspa duas vezes ("").',
  'The entry is not a product.': 'O item não é um produto.',
  'A variant of the product is not an object.': 'Uma variante do produto não é um objeto.',
  'The file contains no list of products: expected [ … ] or {"products": [ … ]}.':
    'O arquivo não contém uma lista de produtos: esperado [ … ] ou {"products": [ … ]}.',
  'Invalid JSON: {reason}.': 'JSON inválido: {reason}.',
  'The product and variant are the same as in {position}.':
    'O produto e a variante são os mesmos que em {position}.',
  'The file contains no products.': 'O arquivo não contém produtos.',
  'The file is not UTF-8 text. In a spreadsheet, save it as “CSV UTF-8”; a workbook (.xlsx) cannot be read.':
    'O arquivo não é texto UTF-8. Em uma planilha, salve-o como “CSV UTF-8”; uma pasta de trabalho (.xlsx) não pode ser lida.',
}
