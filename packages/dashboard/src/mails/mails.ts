/* All that is about mails, as one script that is loaded on demand. */
export { MailPage } from './mail-page.tsx'
export { MailTextsSection } from './mail-texts.tsx'
export { MailsPage } from './mails-page.tsx'
export { NewsSection } from './news.tsx'
export { OrderMails, SendEmail } from './order-mails.tsx'
