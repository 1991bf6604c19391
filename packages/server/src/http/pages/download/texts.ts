/** The texts of the download page in one language. `{…}` is replaced. */
export interface PageTexts {
  title: string
  order: string
  until: string
  updated: string
  download: string
  open: string
  view: string
  /** By plural category: see `Intl.PluralRules`. */
  left: Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }
  again: string
  none: string
  note: string
  empty: string
  more: string
  previous: string
  next: string
  pages: string
  help: string
  back: string
  refusals: Record<RefusalName, { title: string; text: string }>
}

/** Why a page shows no files, or a file cannot be downloaded. */
export type RefusalName =
  | 'limit_reached'
  | 'expired'
  | 'revoked'
  | 'held'
  | 'ended'
  | 'unknown'
  | 'unavailable'
  | 'busy'

export const LANGUAGES = ['en', 'de', 'fr', 'es', 'ja', 'ar'] as const
export type Language = (typeof LANGUAGES)[number]

export const TEXTS: Record<Language, PageTexts> = {
  en: {
    title: 'Your files',
    order: 'Order {number}',
    until: 'Available until {date}',
    updated: 'Updated on {date}',
    download: 'Download',
    open: 'Open',
    view: 'View',
    left: { one: '{count} download left', other: '{count} downloads left' },
    again: 'Started. You can repeat it until {date}.',
    none: 'No downloads left',
    note: 'Within 24 hours, you can repeat or resume a download, and it counts only once.',
    empty: 'There are no files yet. They appear here as soon as they are ready.',
    more: 'This page shows the first {count} files.',
    previous: 'Previous',
    next: 'Next',
    pages: 'Pages',
    help: 'Help',
    back: 'Back to your files',
    refusals: {
      limit_reached: {
        title: 'No downloads left',
        text: 'You have downloaded this file as often as your order allows. If you need it again, contact the shop.',
      },
      expired: {
        title: 'This page has expired',
        text: 'The time for your downloads is over. If you still need the files, contact the shop.',
      },
      revoked: {
        title: 'This order is no longer available',
        text: 'The shop has withdrawn the downloads of this order. If you did not expect this, contact the shop.',
      },
      held: {
        title: 'Your order is being checked',
        text: 'Your files are not available yet. Open this page again later. If it takes too long, contact the shop.',
      },
      ended: {
        title: 'This download has ended',
        text: 'A download can be continued for 24 hours. Start it again from the page with your files.',
      },
      unknown: {
        title: 'Page not found',
        text: 'There are no downloads at this URL. Copy the whole URL from your e-mail, or contact the shop.',
      },
      unavailable: {
        title: 'This file is not available now',
        text: 'Nothing was counted. Try it again in a few minutes. If it still does not work, contact the shop.',
      },
      busy: {
        title: 'Too many requests',
        text: 'Too many requests came from your network. Wait a minute, then try again.',
      },
    },
  },
  de: {
    title: 'Ihre Dateien',
    order: 'Bestellung {number}',
    until: 'Verfügbar bis {date}',
    updated: 'Aktualisiert am {date}',
    download: 'Herunterladen',
    open: 'Öffnen',
    view: 'Ansehen',
    left: { one: 'Noch {count} Download', other: 'Noch {count} Downloads' },
    again: 'Gestartet. Bis {date} können Sie ihn wiederholen.',
    none: 'Keine Downloads mehr',
    note: 'Innerhalb von 24 Stunden können Sie einen Download wiederholen oder fortsetzen; er zählt nur einmal.',
    empty: 'Es gibt noch keine Dateien. Sie erscheinen hier, sobald sie bereit sind.',
    more: 'Diese Seite zeigt die ersten {count} Dateien.',
    previous: 'Zurück',
    next: 'Weiter',
    pages: 'Seiten',
    help: 'Hilfe',
    back: 'Zurück zu Ihren Dateien',
    refusals: {
      limit_reached: {
        title: 'Keine Downloads mehr',
        text: 'Sie haben diese Datei so oft heruntergeladen, wie Ihre Bestellung erlaubt. Wenn Sie sie noch einmal brauchen, wenden Sie sich an den Shop.',
      },
      expired: {
        title: 'Diese Seite ist abgelaufen',
        text: 'Die Zeit für Ihre Downloads ist vorbei. Wenn Sie die Dateien noch brauchen, wenden Sie sich an den Shop.',
      },
      revoked: {
        title: 'Diese Bestellung ist nicht mehr verfügbar',
        text: 'Der Shop hat die Downloads dieser Bestellung zurückgezogen. Wenn Sie das nicht erwartet haben, wenden Sie sich an den Shop.',
      },
      held: {
        title: 'Ihre Bestellung wird geprüft',
        text: 'Ihre Dateien sind noch nicht verfügbar. Öffnen Sie diese Seite später noch einmal. Wenn es zu lange dauert, wenden Sie sich an den Shop.',
      },
      ended: {
        title: 'Dieser Download ist beendet',
        text: 'Ein Download kann 24 Stunden lang fortgesetzt werden. Starten Sie ihn auf der Seite mit Ihren Dateien neu.',
      },
      unknown: {
        title: 'Seite nicht gefunden',
        text: 'Unter dieser Adresse gibt es keine Downloads. Kopieren Sie die ganze Adresse aus Ihrer E-Mail, oder wenden Sie sich an den Shop.',
      },
      unavailable: {
        title: 'Diese Datei ist gerade nicht verfügbar',
        text: 'Es wurde nichts gezählt. Versuchen Sie es in einigen Minuten noch einmal. Wenn es dann nicht geht, wenden Sie sich an den Shop.',
      },
      busy: {
        title: 'Zu viele Anfragen',
        text: 'Aus Ihrem Netz kamen zu viele Anfragen. Warten Sie eine Minute und versuchen Sie es noch einmal.',
      },
    },
  },
  fr: {
    title: 'Vos fichiers',
    order: 'Commande {number}',
    until: 'Disponible jusqu’au {date}',
    updated: 'Mis à jour le {date}',
    download: 'Télécharger',
    open: 'Ouvrir',
    view: 'Voir',
    left: { one: '{count} téléchargement restant', other: '{count} téléchargements restants' },
    again: 'Commencé. Vous pouvez le répéter jusqu’au {date}.',
    none: 'Plus de téléchargement',
    note: 'Pendant 24 heures, vous pouvez répéter ou reprendre un téléchargement : il ne compte qu’une fois.',
    empty: 'Il n’y a pas encore de fichiers. Ils apparaîtront ici dès qu’ils seront prêts.',
    more: 'Cette page montre les {count} premiers fichiers.',
    previous: 'Précédent',
    next: 'Suivant',
    pages: 'Pages',
    help: 'Aide',
    back: 'Retour à vos fichiers',
    refusals: {
      limit_reached: {
        title: 'Plus de téléchargement',
        text: 'Vous avez téléchargé ce fichier aussi souvent que votre commande le permet. Si vous en avez encore besoin, contactez la boutique.',
      },
      expired: {
        title: 'Cette page a expiré',
        text: 'Le délai de vos téléchargements est dépassé. Si vous avez encore besoin des fichiers, contactez la boutique.',
      },
      revoked: {
        title: 'Cette commande n’est plus disponible',
        text: 'La boutique a retiré les téléchargements de cette commande. Si cela vous surprend, contactez la boutique.',
      },
      held: {
        title: 'Votre commande est en cours de vérification',
        text: 'Vos fichiers ne sont pas encore disponibles. Rouvrez cette page plus tard. Si cela dure trop longtemps, contactez la boutique.',
      },
      ended: {
        title: 'Ce téléchargement est terminé',
        text: 'Un téléchargement peut être repris pendant 24 heures. Recommencez-le depuis la page de vos fichiers.',
      },
      unknown: {
        title: 'Page introuvable',
        text: 'Il n’y a pas de téléchargement à cette adresse. Copiez l’adresse entière depuis votre e-mail, ou contactez la boutique.',
      },
      unavailable: {
        title: 'Ce fichier n’est pas disponible pour le moment',
        text: 'Rien n’a été compté. Réessayez dans quelques minutes. Si cela ne fonctionne toujours pas, contactez la boutique.',
      },
      busy: {
        title: 'Trop de requêtes',
        text: 'Trop de requêtes sont venues de votre réseau. Attendez une minute, puis réessayez.',
      },
    },
  },
  es: {
    title: 'Tus archivos',
    order: 'Pedido {number}',
    until: 'Disponible hasta el {date}',
    updated: 'Actualizado el {date}',
    download: 'Descargar',
    open: 'Abrir',
    view: 'Ver',
    left: { one: 'Queda {count} descarga', other: 'Quedan {count} descargas' },
    again: 'Iniciada. Puedes repetirla hasta el {date}.',
    none: 'No quedan descargas',
    note: 'Durante 24 horas puedes repetir o reanudar una descarga, y solo cuenta una vez.',
    empty: 'Todavía no hay archivos. Aparecerán aquí en cuanto estén listos.',
    more: 'Esta página muestra los primeros {count} archivos.',
    previous: 'Anterior',
    next: 'Siguiente',
    pages: 'Páginas',
    help: 'Ayuda',
    back: 'Volver a tus archivos',
    refusals: {
      limit_reached: {
        title: 'No quedan descargas',
        text: 'Has descargado este archivo tantas veces como permite tu pedido. Si lo necesitas otra vez, contacta con la tienda.',
      },
      expired: {
        title: 'Esta página ha caducado',
        text: 'El plazo de tus descargas ha terminado. Si todavía necesitas los archivos, contacta con la tienda.',
      },
      revoked: {
        title: 'Este pedido ya no está disponible',
        text: 'La tienda ha retirado las descargas de este pedido. Si no lo esperabas, contacta con la tienda.',
      },
      held: {
        title: 'Estamos comprobando tu pedido',
        text: 'Tus archivos todavía no están disponibles. Abre esta página más tarde. Si tarda demasiado, contacta con la tienda.',
      },
      ended: {
        title: 'Esta descarga ha terminado',
        text: 'Una descarga se puede continuar durante 24 horas. Iníciala de nuevo desde la página de tus archivos.',
      },
      unknown: {
        title: 'Página no encontrada',
        text: 'No hay descargas en esta dirección. Copia la dirección completa de tu correo, o contacta con la tienda.',
      },
      unavailable: {
        title: 'Este archivo no está disponible ahora',
        text: 'No se ha contado nada. Inténtalo de nuevo en unos minutos. Si sigue sin funcionar, contacta con la tienda.',
      },
      busy: {
        title: 'Demasiadas solicitudes',
        text: 'Han llegado demasiadas solicitudes desde tu red. Espera un minuto e inténtalo de nuevo.',
      },
    },
  },
  ja: {
    title: 'ダウンロードファイル',
    order: '注文 {number}',
    until: '{date} まで利用できます',
    updated: '{date} に更新',
    download: 'ダウンロード',
    open: '開く',
    view: '表示',
    left: { other: '残り {count} 回' },
    again: '開始しました。{date} までやり直せます。',
    none: 'ダウンロード回数の上限に達しました',
    note: '24 時間以内であれば、ダウンロードのやり直しや再開は 1 回として数えられます。',
    empty: 'ファイルはまだありません。準備ができしだい、ここに表示されます。',
    more: 'このページには最初の {count} 個のファイルを表示しています。',
    previous: '前へ',
    next: '次へ',
    pages: 'ページ',
    help: 'ヘルプ',
    back: 'ファイルの一覧に戻る',
    refusals: {
      limit_reached: {
        title: 'ダウンロード回数の上限に達しました',
        text: 'このファイルは、ご注文で許可された回数だけダウンロードされています。もう一度必要な場合は、ショップにお問い合わせください。',
      },
      expired: {
        title: 'このページの有効期限が切れました',
        text: 'ダウンロードできる期間が終了しました。ファイルがまだ必要な場合は、ショップにお問い合わせください。',
      },
      revoked: {
        title: 'この注文は利用できなくなりました',
        text: 'ショップがこの注文のダウンロードを取り消しました。お心当たりがない場合は、ショップにお問い合わせください。',
      },
      held: {
        title: 'ご注文を確認しています',
        text: 'ファイルはまだ利用できません。しばらくしてから、このページをもう一度開いてください。時間がかかる場合は、ショップにお問い合わせください。',
      },
      ended: {
        title: 'このダウンロードは終了しました',
        text: 'ダウンロードは 24 時間以内であれば再開できます。ファイルの一覧から、もう一度開始してください。',
      },
      unknown: {
        title: 'ページが見つかりません',
        text: 'この URL にはダウンロードがありません。メールから URL 全体をコピーするか、ショップにお問い合わせください。',
      },
      unavailable: {
        title: 'このファイルは現在利用できません',
        text: '回数には数えられていません。数分後にもう一度お試しください。それでも利用できない場合は、ショップにお問い合わせください。',
      },
      busy: {
        title: 'リクエストが多すぎます',
        text: 'お使いのネットワークからのリクエストが多すぎます。1 分待ってから、もう一度お試しください。',
      },
    },
  },
  ar: {
    title: 'ملفاتك',
    order: 'الطلب {number}',
    until: 'متاح حتى {date}',
    updated: 'تم التحديث في {date}',
    download: 'تنزيل',
    open: 'فتح',
    view: 'عرض',
    left: {
      zero: 'لم يتبقَّ أي تنزيل',
      one: 'تبقّى تنزيل واحد',
      two: 'تبقّى تنزيلان',
      few: 'تبقّت {count} تنزيلات',
      many: 'تبقّى {count} تنزيلًا',
      other: 'تبقّى {count} تنزيل',
    },
    again: 'بدأ التنزيل. يمكنك إعادته حتى {date}.',
    none: 'لم يتبقَّ أي تنزيل',
    note: 'يمكنك إعادة التنزيل أو استئنافه خلال 24 ساعة، ولا يُحتسب إلا مرة واحدة.',
    empty: 'لا توجد ملفات بعد. ستظهر هنا حالما تصبح جاهزة.',
    more: 'تعرض هذه الصفحة أول {count} من الملفات.',
    previous: 'السابق',
    next: 'التالي',
    pages: 'الصفحات',
    help: 'المساعدة',
    back: 'العودة إلى ملفاتك',
    refusals: {
      limit_reached: {
        title: 'لم يتبقَّ أي تنزيل',
        text: 'لقد نزّلت هذا الملف بعدد المرات التي يسمح بها طلبك. إذا كنت بحاجة إليه مرة أخرى، فتواصل مع المتجر.',
      },
      expired: {
        title: 'انتهت صلاحية هذه الصفحة',
        text: 'انتهت مدة التنزيل. إذا كنت لا تزال بحاجة إلى الملفات، فتواصل مع المتجر.',
      },
      revoked: {
        title: 'لم يعد هذا الطلب متاحًا',
        text: 'سحب المتجر تنزيلات هذا الطلب. إذا لم تكن تتوقع ذلك، فتواصل مع المتجر.',
      },
      held: {
        title: 'يجري التحقق من طلبك',
        text: 'ملفاتك غير متاحة بعد. افتح هذه الصفحة لاحقًا. إذا استغرق الأمر وقتًا طويلًا، فتواصل مع المتجر.',
      },
      ended: {
        title: 'انتهى هذا التنزيل',
        text: 'يمكن متابعة التنزيل لمدة 24 ساعة. ابدأه من جديد من صفحة ملفاتك.',
      },
      unknown: {
        title: 'الصفحة غير موجودة',
        text: 'لا توجد تنزيلات على هذا العنوان. انسخ العنوان كاملًا من بريدك الإلكتروني، أو تواصل مع المتجر.',
      },
      unavailable: {
        title: 'هذا الملف غير متاح الآن',
        text: 'لم يُحتسب شيء. حاول مرة أخرى بعد بضع دقائق. إذا استمرت المشكلة، فتواصل مع المتجر.',
      },
      busy: {
        title: 'طلبات كثيرة جدًا',
        text: 'وصلت طلبات كثيرة جدًا من شبكتك. انتظر دقيقة ثم حاول مرة أخرى.',
      },
    },
  },
}

/**
 * The language of the reader: the first one of `Accept-Language` that there is a text for, by its weights; otherwise that of
 * the order; otherwise English.
 */
export function chooseLanguage(accepted: string | undefined, locale: string | null): Language {
  const wanted = (accepted ?? '')
    .slice(0, 1000)
    .split(',')
    .map((entry) => {
      const [tag = '', ...parameters] = entry.split(';').map((part) => part.trim())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return { tag, weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
  for (const { tag } of [...wanted, { tag: locale ?? '' }]) {
    const language = tag.toLowerCase().split(/[-_]/)[0]
    const known = LANGUAGES.find((one) => one === language)
    if (known !== undefined) return known
  }
  return 'en'
}

/** Replaces the names in braces. */
export function fillText(text: string, values: Record<string, string | number>): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
}
