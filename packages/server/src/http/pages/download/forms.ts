import { html } from '../../../text/html.ts'
import { type BuyersPage, languageOf, type PageFrame, renderPage } from './page.ts'
import type { Language } from './texts.ts'

interface FormTexts {
  find: { title: string; text: string; label: string; button: string }
  sent: { title: string; text: string }
  invalid: string
  off: { title: string; text: string }
  leave: { title: string; text: string; button: string }
  left: { title: string; text: string }
  more: { button: string; title: string; text: string }
}

const FORMS: Record<Language, FormTexts> = {
  en: {
    find: {
      title: 'Find your downloads',
      text: 'Enter the e-mail address of your order. We send the URLs of your download pages to it.',
      label: 'E-mail address',
      button: 'Send the URLs',
    },
    sent: {
      title: 'Look into your mailbox',
      text: 'If there are orders with this address, an e-mail is on its way. It can take a few minutes. Also look into the spam folder.',
    },
    invalid: 'Enter an e-mail address such as ada@example.com.',
    off: {
      title: 'No e-mail here',
      text: 'This service sends no e-mail. Contact the shop to get the URL of your downloads.',
    },
    leave: {
      title: 'No more news?',
      text: 'You then get no e-mail about new versions of your files from this shop. Your downloads stay available.',
      button: 'No more news',
    },
    left: {
      title: 'No more news',
      text: 'You get no further e-mail about new versions of your files from this shop.',
    },
    more: {
      button: 'Ask the shop for more downloads',
      title: 'The shop has your request',
      text: 'As soon as the shop allows more downloads, you can download the file on your page.',
    },
  },
  de: {
    find: {
      title: 'Ihre Downloads finden',
      text: 'Geben Sie die E-Mail-Adresse Ihrer Bestellung ein. Wir senden die Adressen Ihrer Download-Seiten dorthin.',
      label: 'E-Mail-Adresse',
      button: 'Adressen senden',
    },
    sent: {
      title: 'Sehen Sie in Ihr Postfach',
      text: 'Wenn es Bestellungen mit dieser Adresse gibt, ist eine E-Mail unterwegs. Das kann einige Minuten dauern. Sehen Sie auch im Spam-Ordner nach.',
    },
    invalid: 'Geben Sie eine E-Mail-Adresse wie ada@example.com ein.',
    off: {
      title: 'Hier gibt es keine E-Mails',
      text: 'Dieser Dienst sendet keine E-Mails. Wenden Sie sich an den Shop, um die Adresse Ihrer Downloads zu erhalten.',
    },
    leave: {
      title: 'Keine Neuigkeiten mehr?',
      text: 'Sie erhalten dann von diesem Shop keine E-Mails über neue Versionen Ihrer Dateien. Ihre Downloads bleiben verfügbar.',
      button: 'Keine Neuigkeiten mehr',
    },
    left: {
      title: 'Keine Neuigkeiten mehr',
      text: 'Sie erhalten von diesem Shop keine weiteren E-Mails über neue Versionen Ihrer Dateien.',
    },
    more: {
      button: 'Den Shop um weitere Downloads bitten',
      title: 'Der Shop hat Ihre Bitte erhalten',
      text: 'Sobald der Shop weitere Downloads erlaubt, können Sie die Datei auf Ihrer Seite herunterladen.',
    },
  },
  fr: {
    find: {
      title: 'Retrouver vos téléchargements',
      text: 'Saisissez l’adresse e-mail de votre commande. Nous y envoyons les adresses de vos pages de téléchargement.',
      label: 'Adresse e-mail',
      button: 'Envoyer les adresses',
    },
    sent: {
      title: 'Consultez votre messagerie',
      text: 'S’il existe des commandes avec cette adresse, un e-mail est en route. Cela peut prendre quelques minutes. Regardez aussi dans les indésirables.',
    },
    invalid: 'Saisissez une adresse e-mail, par exemple ada@example.com.',
    off: {
      title: 'Pas d’e-mail ici',
      text: 'Ce service n’envoie pas d’e-mails. Contactez la boutique pour obtenir l’adresse de vos téléchargements.',
    },
    leave: {
      title: 'Ne plus recevoir de nouvelles ?',
      text: 'Vous ne recevrez plus d’e-mails de cette boutique sur les nouvelles versions de vos fichiers. Vos téléchargements restent disponibles.',
      button: 'Ne plus recevoir de nouvelles',
    },
    left: {
      title: 'Plus de nouvelles',
      text: 'Vous ne recevrez plus d’e-mails de cette boutique sur les nouvelles versions de vos fichiers.',
    },
    more: {
      button: 'Demander d’autres téléchargements à la boutique',
      title: 'La boutique a reçu votre demande',
      text: 'Dès que la boutique autorise d’autres téléchargements, vous pourrez télécharger le fichier sur votre page.',
    },
  },
  es: {
    find: {
      title: 'Encontrar tus descargas',
      text: 'Introduce la dirección de correo de tu pedido. Enviaremos allí las direcciones de tus páginas de descarga.',
      label: 'Dirección de correo',
      button: 'Enviar las direcciones',
    },
    sent: {
      title: 'Mira tu correo',
      text: 'Si hay pedidos con esta dirección, un correo está en camino. Puede tardar unos minutos. Mira también en la carpeta de spam.',
    },
    invalid: 'Introduce una dirección de correo, por ejemplo ada@example.com.',
    off: {
      title: 'Aquí no hay correo',
      text: 'Este servicio no envía correos. Contacta con la tienda para obtener la dirección de tus descargas.',
    },
    leave: {
      title: '¿No recibir más noticias?',
      text: 'No recibirás más correos de esta tienda sobre versiones nuevas de tus archivos. Tus descargas siguen disponibles.',
      button: 'No recibir más noticias',
    },
    left: {
      title: 'Sin más noticias',
      text: 'No recibirás más correos de esta tienda sobre versiones nuevas de tus archivos.',
    },
    more: {
      button: 'Pedir más descargas a la tienda',
      title: 'La tienda tiene tu petición',
      text: 'En cuanto la tienda permita más descargas, podrás descargar el archivo en tu página.',
    },
  },
  ja: {
    find: {
      title: 'ダウンロードページを探す',
      text: 'ご注文時のメールアドレスを入力してください。ダウンロードページの URL をお送りします。',
      label: 'メールアドレス',
      button: 'URL を送信',
    },
    sent: {
      title: 'メールをご確認ください',
      text: 'このアドレスのご注文がある場合は、メールをお送りします。数分かかることがあります。迷惑メールフォルダーもご確認ください。',
    },
    invalid: 'ada@example.com のようなメールアドレスを入力してください。',
    off: {
      title: 'メールは利用できません',
      text: 'このサービスはメールを送信しません。ダウンロードの URL については、ショップにお問い合わせください。',
    },
    leave: {
      title: 'お知らせを停止しますか？',
      text: '停止すると、ファイルの新しいバージョンについてのメールはこのショップから届かなくなります。ダウンロードは引き続きご利用いただけます。',
      button: 'お知らせを停止',
    },
    left: {
      title: 'お知らせを停止しました',
      text: 'ファイルの新しいバージョンについてのメールは、このショップから届かなくなります。',
    },
    more: {
      button: 'ショップに追加のダウンロードを依頼',
      title: 'ショップに依頼しました',
      text: 'ショップが追加のダウンロードを許可すると、ページからファイルをダウンロードできるようになります。',
    },
  },
  ar: {
    find: {
      title: 'العثور على تنزيلاتك',
      text: 'أدخل البريد الإلكتروني لطلبك. سنرسل إليه روابط صفحات التنزيل الخاصة بك.',
      label: 'البريد الإلكتروني',
      button: 'إرسال الروابط',
    },
    sent: {
      title: 'تحقق من بريدك',
      text: 'إذا كانت هناك طلبات بهذا العنوان، فإن رسالة في طريقها إليك. قد يستغرق ذلك بضع دقائق. تحقق أيضًا من مجلد الرسائل غير المرغوب فيها.',
    },
    invalid: 'أدخل بريدًا إلكترونيًا مثل ada@example.com.',
    off: {
      title: 'لا يوجد بريد هنا',
      text: 'لا ترسل هذه الخدمة رسائل بريد. تواصل مع المتجر للحصول على رابط تنزيلاتك.',
    },
    leave: {
      title: 'إيقاف الأخبار؟',
      text: 'لن تصلك رسائل من هذا المتجر عن الإصدارات الجديدة من ملفاتك. تبقى تنزيلاتك متاحة.',
      button: 'إيقاف الأخبار',
    },
    left: {
      title: 'تم إيقاف الأخبار',
      text: 'لن تصلك رسائل أخرى من هذا المتجر عن الإصدارات الجديدة من ملفاتك.',
    },
    more: {
      button: 'اطلب من المتجر المزيد من التنزيلات',
      title: 'وصل طلبك إلى المتجر',
      text: 'حالما يسمح المتجر بالمزيد من التنزيلات، يمكنك تنزيل الملف من صفحتك.',
    },
  },
}

/** The page for lost links. `isInvalid`: what was entered is no address. */
export function renderFind(frame: PageFrame, { isInvalid }: { isInvalid: boolean }): BuyersPage {
  const { find, invalid } = FORMS[languageOf(frame)]
  const problem = isInvalid ? html`<p role="alert"><b>${invalid}</b></p>` : undefined
  const main = html`<div class="card"><h1>${find.title}</h1><p>${find.text}</p>${problem}
<form method="post" action="/find"><p><label>${find.label}<br><input name="email" type="email" required maxlength="254" autocomplete="email" dir="ltr"></label></p>
<button>${find.button}</button></form></div>`
  return renderPage(frame, { title: find.title, main, files: [] })
}

/** The page to end the news of a shop. */
export function renderLeave(frame: PageFrame, token: string): BuyersPage {
  const { title, text, button } = FORMS[languageOf(frame)].leave
  const main = html`<div class="card"><h1>${title}</h1><p>${text}</p>
<form method="post" action="/unsubscribe/${token}"><button>${button}</button></form></div>`
  return renderPage(frame, { title, main, files: [] })
}

/** A page that says what has happened. */
export function renderResult(frame: PageFrame, name: 'sent' | 'off' | 'left' | 'more'): BuyersPage {
  const { title, text } = FORMS[languageOf(frame)][name]
  const { buyer } = frame
  const main = html`<div class="card"><h1>${title}</h1><p>${text}</p>${buyer && html`<p><a href="/d/${buyer.token}">${buyer.order.number ?? title}</a></p>`}</div>`
  return renderPage(frame, { title, main, files: [] })
}

/** The label of the button on the page that says that the limit is reached. */
export function moreButton(frame: PageFrame): string {
  return FORMS[languageOf(frame)].more.button
}
