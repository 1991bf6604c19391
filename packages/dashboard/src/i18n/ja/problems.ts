import type { problems as German } from '../de/problems.ts'
import type { Translation } from '../texts.ts'

export const problems: Translation<typeof German> = {
  'must not be empty': '空にできません',
  'must have at most {count} characters': '{count} 文字以内で入力してください',
  'must be a string of at most {count} characters': '{count} 文字以内で入力してください',
  'must be a string of 1 to {count} characters': '1～{count} 文字で入力してください',
  'must have at most {count} characters in each folder':
    'フォルダごとに {count} 文字以内で入力してください',
  'must be valid Unicode, without lone surrogates': '有効な Unicode 文字で入力してください',
  'must not have control characters': '制御文字は使用できません',
  'must not have control characters or lone surrogates': '制御文字や不正な文字は使用できません',
  'must not have line breaks or other control characters': '改行などの制御文字は使用できません',
  'must be a name without folders': 'フォルダを含まない名前にしてください',
  'must separate folders with /, not with \\': 'フォルダは \\ ではなく / で区切ってください',
  'must be a relative path without empty folders, such as course/week 1':
    '「コース/第 1 週」のように、空のフォルダを含まない相対パスにしてください',
  'must not contain the folders . or ..': '「.」や「..」というフォルダは使用できません',
  'is too long to be compared: use fewer special characters':
    '長すぎるため比較できません。特殊文字を減らしてください',
  'must be a tag of 1 to {count} characters': '1～{count} 文字のタグにしてください',
  'would be more than the {count} different tags that an account can have: use existing tags, or remove some from all assets':
    'アカウントで使用できるタグは {count} 種類までです。既存のタグを使用するか、不要なタグをすべてのアセットから削除してください',
  'must not have spaces or control characters: percent-encode them':
    '空白や制御文字は使用できません。パーセントエンコードしてください',
  'must begin with http:// or https://, and have no backslash':
    'http:// または https:// で始まり、バックスラッシュを含まない URL にしてください',
  'must be a complete URL, such as https://example.com/file.zip':
    'https://example.com/file.zip のような完全な URL にしてください',
  'must be an http or https URL of at most {count} characters':
    '{count} 文字以内の http または https の URL にしてください',
  'must not contain a user name or password': 'ユーザー名やパスワードは含められません',
  'must not have a fragment (#…)': 'フラグメント（#…）は含められません',
  'must be a number of bytes, or a string such as 10MB or 1.5 GB':
    'バイト数、または 10MB や 1.5 GB のような値にしてください',
  'must be a media type such as application/zip':
    'application/zip のようなメディアタイプにしてください',
  'must describe what the key is for, without control characters':
    'キーの用途を、制御文字を含めずに入力してください',
  'must be an e-mail address of at most {count} characters, or null':
    '{count} 文字以内のメールアドレスにしてください',
  'must be a whole number of 1 or more': '1 以上の整数にしてください',
  'must be a color such as #0b7285, or null': '#0b7285 のような色にしてください',
  'must name at least one product, unless assets names an asset':
    '商品またはアセットを 1 つ以上指定してください',
  'has unknown placeholders: {names}. Known are {list}':
    'に不明な差し込み項目があります: {names}。使用できるのは {list} です',
  'has the placeholder {{name}} too often: at most {count}':
    'には差し込み項目 {{name}} が多すぎます。最大 {count} 回です',
  'must have the placeholder {{required}}, so that buyers find their files':
    'には差し込み項目 {{required}} が必要です。ないと、購入者がファイルを見つけられません',
  'must be a line of 1 to {count} characters': 'は 1 ～ {count} 文字の 1 行にしてください',
  'must be a text of 1 to {count} characters, with \\n at the end of lines':
    'は 1 ～ {count} 文字にしてください',
  'is required': '必須です',
  'contains unknown values: {values}': '不明な値が含まれています：{values}',
  'is missing': 'がありません',
  'was rounded by a spreadsheet. Format the column as text':
    'が表計算ソフトで丸められています。列の書式を文字列にしてください',
  'must be a whole number from 0 to {count}': 'は 0～{count} の整数にしてください',
  'must be a string': 'は文字列にしてください',
  'must be an array of strings': 'は文字列の配列にしてください',
  'must have at most {count} tags': 'タグは {count} 個以内にしてください',
  'No mail server is configured, so the mail was not sent. Set STOWAGE_SMTP_URL and STOWAGE_MAIL_FROM.':
    'メールサーバーが設定されていないため、メールは送信されませんでした。STOWAGE_SMTP_URL と STOWAGE_MAIL_FROM を設定してください。',
  'There are no orders with this address.': 'このアドレスの注文はありません。',
  'There is no such order.': 'その注文はありません。',
  'The order was revoked.': '注文は取り消されました。',
  'The order has expired.': '注文の期限が切れました。',
  'The order is held. The mail is sent when it is released.':
    '注文は保留中です。保留が解除されるとメールが送信されます。',
  'The URL of the order cannot be shown, because the secret key was replaced.':
    '秘密鍵が置き換えられたため、注文の URL を表示できません。',
  'The file was deleted.': 'ファイルは削除されました。',
  'The buyer wants no more news.': '購入者はお知らせを希望していません。',
  'The file lacks the column {columns}.': 'ファイルに列 {columns} がありません。',
  'The file lacks the columns {columns}.': 'ファイルに列 {columns} がありません。',
  'The line has more fields than the header. If a field contains the separator, enclose the whole field in double quotes.':
    '行の項目数がヘッダーより多くなっています。項目に区切り文字が含まれる場合は、項目全体を二重引用符で囲んでください。',
  'The line opens a quote (") that is never closed.': '行で開いた引用符（"）が閉じられていません。',
  'The line has text after a closing quote. Inside quotes, write each quote twice ("").':
    '行の閉じ引用符のあとに文字があります。引用符の中では、引用符を 2 つ続けて（""）書いてください。',
  'The entry is not a product.': 'この項目は商品ではありません。',
  'A variant of the product is not an object.':
    '商品のバリエーションがオブジェクトではありません。',
  'The file contains no list of products: expected [ … ] or {"products": [ … ]}.':
    'ファイルに商品の一覧がありません。[ … ] または {"products": [ … ]} の形式にしてください。',
  'Invalid JSON: {reason}.': 'JSON が正しくありません：{reason}',
  'The product and variant are the same as in {position}.':
    '商品とバリエーションが {position} と同じです。',
  'The file contains no products.': 'ファイルに商品がありません。',
  'The file is not UTF-8 text. In a spreadsheet, save it as “CSV UTF-8”; a workbook (.xlsx) cannot be read.':
    'ファイルが UTF-8 のテキストではありません。表計算ソフトで「CSV UTF-8」として保存してください。ブック（.xlsx）は読み込めません。',
}
