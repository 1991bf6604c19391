import { onDemand } from '../components/on-demand.tsx'

const load = () => import('./mails.ts')

export const MailTextsSection = onDemand(load, 'MailTextsSection')
export const NewsSection = onDemand(load, 'NewsSection')
export const OrderMails = onDemand(load, 'OrderMails')
export const SendEmail = onDemand(load, 'SendEmail')
