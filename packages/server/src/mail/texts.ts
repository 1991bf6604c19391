import type { MailKind, MailText } from '../domain/mail.ts'

/** The languages of mails and of the pages of buyers. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'ja', 'ar'] as const
export type Language = (typeof LANGUAGES)[number]

/** The placeholders of each kind. */
export const PLACEHOLDERS: Record<MailKind, readonly string[]> = {
  files_ready: ['name', 'shop', 'order_number', 'url', 'files', 'expires'],
  new_version: ['name', 'shop', 'order_number', 'url', 'filename', 'version'],
  links: ['shop', 'orders'],
}

/** How often a text may have a placeholder, so that no mail is too large. */
export function maxUsesOf(placeholder: string): number {
  return placeholder === 'orders' ? 1 : 3
}

/** Each paragraph has its own style, so many of them would make a mail too large. */
export const MAX_PARAGRAPHS = 100

/** A text without it would be of no use. */
export const REQUIRED: Record<MailKind, string> = {
  files_ready: 'url',
  new_version: 'url',
  links: 'orders',
}

/** What the service adds to the texts. */
interface Words {
  button: string
  /** The last entry of a list of files. */
  more: string
  order: string
  unsubscribe: string
  states: Record<'active' | 'held' | 'expired' | 'revoked', string>
  texts: Record<MailKind, MailText>
}

export const WORDS: Record<Language, Words> = {
  en: {
    button: 'Open the page',
    more: '{count} more',
    order: 'Order {number}',
    unsubscribe: 'You get this e-mail because you bought this file. No more news of this shop:',
    states: {
      active: 'available',
      held: 'is being checked',
      expired: 'expired',
      revoked: 'no longer available',
    },
    texts: {
      files_ready: {
        subject: 'Your files are ready',
        text: `Hello {name},

your files are ready. You can download them on this page:

{url}

Order {order_number}
Files: {files}
Available until {expires}

Keep this e-mail. Everyone who has the URL can download the files.

{shop}`,
      },
      new_version: {
        subject: 'New version of {filename}',
        text: `Hello {name},

there is a new version of {filename}. You can download it on the page of your order:

{url}

Order {order_number}

{shop}`,
      },
      links: {
        subject: 'Your download pages',
        text: `Hello,

these are the download pages of your orders:

{orders}

Somebody has entered your e-mail address to get these URLs. If it was not you, you need not do anything.

{shop}`,
      },
    },
  },
  de: {
    button: 'Seite öffnen',
    more: '{count} weitere',
    order: 'Bestellung {number}',
    unsubscribe:
      'Sie erhalten diese E-Mail, weil Sie diese Datei gekauft haben. Keine Neuigkeiten dieses Shops mehr:',
    states: {
      active: 'verfügbar',
      held: 'wird geprüft',
      expired: 'abgelaufen',
      revoked: 'nicht mehr verfügbar',
    },
    texts: {
      files_ready: {
        subject: 'Ihre Dateien sind bereit',
        text: `Guten Tag {name},

Ihre Dateien sind bereit. Sie können sie auf dieser Seite herunterladen:

{url}

Bestellung {order_number}
Dateien: {files}
Verfügbar bis {expires}

Bewahren Sie diese E-Mail auf. Jeder, der die Adresse kennt, kann die Dateien herunterladen.

{shop}`,
      },
      new_version: {
        subject: 'Neue Version von {filename}',
        text: `Guten Tag {name},

es gibt eine neue Version von {filename}. Sie können sie auf der Seite Ihrer Bestellung herunterladen:

{url}

Bestellung {order_number}

{shop}`,
      },
      links: {
        subject: 'Ihre Download-Seiten',
        text: `Guten Tag,

dies sind die Download-Seiten Ihrer Bestellungen:

{orders}

Jemand hat Ihre E-Mail-Adresse eingegeben, um diese Adressen zu erhalten. Wenn Sie das nicht waren, müssen Sie nichts tun.

{shop}`,
      },
    },
  },
  fr: {
    button: 'Ouvrir la page',
    more: '{count} de plus',
    order: 'Commande {number}',
    unsubscribe:
      'Vous recevez cet e-mail parce que vous avez acheté ce fichier. Ne plus recevoir de nouvelles de cette boutique :',
    states: {
      active: 'disponible',
      held: 'en cours de vérification',
      expired: 'expirée',
      revoked: 'plus disponible',
    },
    texts: {
      files_ready: {
        subject: 'Vos fichiers sont prêts',
        text: `Bonjour {name},

vos fichiers sont prêts. Vous pouvez les télécharger sur cette page :

{url}

Commande {order_number}
Fichiers : {files}
Disponible jusqu’au {expires}

Conservez cet e-mail. Toute personne qui connaît l’adresse peut télécharger les fichiers.

{shop}`,
      },
      new_version: {
        subject: 'Nouvelle version de {filename}',
        text: `Bonjour {name},

il y a une nouvelle version de {filename}. Vous pouvez la télécharger sur la page de votre commande :

{url}

Commande {order_number}

{shop}`,
      },
      links: {
        subject: 'Vos pages de téléchargement',
        text: `Bonjour,

voici les pages de téléchargement de vos commandes :

{orders}

Quelqu’un a saisi votre adresse e-mail pour recevoir ces adresses. Si ce n’était pas vous, vous n’avez rien à faire.

{shop}`,
      },
    },
  },
  es: {
    button: 'Abrir la página',
    more: '{count} más',
    order: 'Pedido {number}',
    unsubscribe:
      'Recibes este correo porque compraste este archivo. No recibir más noticias de esta tienda:',
    states: {
      active: 'disponible',
      held: 'en comprobación',
      expired: 'caducado',
      revoked: 'ya no disponible',
    },
    texts: {
      files_ready: {
        subject: 'Tus archivos están listos',
        text: `Hola {name}:

Tus archivos están listos. Puedes descargarlos en esta página:

{url}

Pedido {order_number}
Archivos: {files}
Disponible hasta el {expires}

Guarda este correo. Cualquiera que tenga la dirección puede descargar los archivos.

{shop}`,
      },
      new_version: {
        subject: 'Nueva versión de {filename}',
        text: `Hola {name}:

Hay una nueva versión de {filename}. Puedes descargarla en la página de tu pedido:

{url}

Pedido {order_number}

{shop}`,
      },
      links: {
        subject: 'Tus páginas de descarga',
        text: `Hola:

Estas son las páginas de descarga de tus pedidos:

{orders}

Alguien ha introducido tu dirección de correo para recibir estas direcciones. Si no has sido tú, no tienes que hacer nada.

{shop}`,
      },
    },
  },
  ja: {
    button: 'ページを開く',
    more: '他 {count} 件',
    order: '注文 {number}',
    unsubscribe:
      'このメールは、このファイルを購入された方にお送りしています。このショップからのお知らせを停止する:',
    states: {
      active: '利用できます',
      held: '確認中です',
      expired: '期限切れです',
      revoked: '利用できなくなりました',
    },
    texts: {
      files_ready: {
        subject: 'ファイルの準備ができました',
        text: `ファイルの準備ができました。次のページからダウンロードできます。

{url}

注文 {order_number}
ファイル: {files}
有効期限: {expires}

このメールは保管してください。URL を知っている人は誰でもファイルをダウンロードできます。

{shop}`,
      },
      new_version: {
        subject: '{filename} の新しいバージョン',
        text: `{filename} の新しいバージョンがあります。ご注文のページからダウンロードできます。

{url}

注文 {order_number}

{shop}`,
      },
      links: {
        subject: 'ダウンロードページのご案内',
        text: `ご注文のダウンロードページは次のとおりです。

{orders}

これらの URL を受け取るために、どなたかがあなたのメールアドレスを入力しました。お心当たりがない場合は、何もする必要はありません。

{shop}`,
      },
    },
  },
  ar: {
    button: 'فتح الصفحة',
    more: '{count} أخرى',
    order: 'الطلب {number}',
    unsubscribe: 'تصلك هذه الرسالة لأنك اشتريت هذا الملف. لإيقاف أخبار هذا المتجر:',
    states: {
      active: 'متاح',
      held: 'قيد التحقق',
      expired: 'انتهت صلاحيته',
      revoked: 'لم يعد متاحًا',
    },
    texts: {
      files_ready: {
        subject: 'ملفاتك جاهزة',
        text: `مرحبًا {name}،

ملفاتك جاهزة. يمكنك تنزيلها من هذه الصفحة:

{url}

الطلب {order_number}
الملفات: {files}
متاح حتى {expires}

احتفظ بهذه الرسالة. يمكن لكل من لديه الرابط تنزيل الملفات.

{shop}`,
      },
      new_version: {
        subject: 'إصدار جديد من {filename}',
        text: `مرحبًا {name}،

هناك إصدار جديد من {filename}. يمكنك تنزيله من صفحة طلبك:

{url}

الطلب {order_number}

{shop}`,
      },
      links: {
        subject: 'صفحات التنزيل الخاصة بك',
        text: `مرحبًا،

هذه صفحات التنزيل لطلباتك:

{orders}

أدخل شخص ما بريدك الإلكتروني للحصول على هذه الروابط. إن لم تكن أنت، فلا داعي لفعل أي شيء.

{shop}`,
      },
    },
  },
}

/** The language of a buyer. */
export function languageOf(locale: string | null): Language {
  const tag = locale?.toLowerCase().split(/[-_]/)[0]
  return LANGUAGES.find((one) => one === tag) ?? 'en'
}

/** The names in braces. */
export function placeholdersOf(text: string): string[] {
  return [...text.matchAll(/\{([^{}\n]*)\}/g)].map(([, name = '']) => name)
}
