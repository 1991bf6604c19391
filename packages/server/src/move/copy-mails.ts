import type { NoticeRecord } from '../database/mail-data.ts'
import type { Mail } from '../domain/mail.ts'
import type { Destinations } from './copy-accounts.ts'
import type { Databases } from './move.ts'

const PAGE = 500

/**
 * Copies the mails, notices, texts and unsubscribed addresses. The target sends what is queued, unless the source is a
 * backup: its service may have sent these mails since, and nobody gets a mail twice.
 */
export async function copyMails(
  { source, isRestore = false }: Pick<Databases, 'source'> & { isRestore?: boolean },
  { accounts }: Pick<Destinations, 'accounts'>,
): Promise<void> {
  const { database } = source
  for (const [accountId, { data }] of accounts) {
    const notices = await database.listNoticeRecords(accountId)
    await data.importMails({ notices: isRestore ? notices.map(endNotice) : notices })
    for (let after: string | undefined; ; ) {
      const mails = await database.listMailRecords(accountId, after, PAGE)
      await data.importMails({ mails: isRestore ? mails.map(endMail) : mails })
      after = mails.at(-1)?.id
      if (mails.length < PAGE) break
    }
    for (let after: string | undefined; ; ) {
      const unsubscribed = await database.listUnsubscribed(accountId, after, PAGE)
      await data.importMails({ unsubscribed })
      after = unsubscribed.at(-1)
      if (unsubscribed.length < PAGE) break
    }
    const settings = await database.of(accountId).findMailSettings()
    if (settings !== undefined) await data.importMails({ settings })
  }
}

const REASON =
  'The service was restored from a backup, and this mail may have been sent after the backup. Send it again if the buyer has not received it.'

function endMail(mail: Mail): Mail {
  const isEnded = mail.state !== 'queued' && mail.state !== 'sending'
  return isEnded ? mail : { ...mail, state: 'failed', reason: REASON }
}

/** The merchant can continue it. */
function endNotice(notice: NoticeRecord): NoticeRecord {
  return notice.state === 'done' ? notice : { ...notice, state: 'cancelled' }
}
