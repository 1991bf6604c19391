import type { Destinations } from './copy-accounts.ts'
import type { Move } from './move.ts'

const PAGE = 500

/** Copies the mails, notices, texts and unsubscribed addresses. The target sends what is queued. */
export async function copyMails(
  { source }: Pick<Move, 'source' | 'target'>,
  { accounts }: Pick<Destinations, 'accounts'>,
): Promise<void> {
  const { database } = source
  for (const [accountId, { data }] of accounts) {
    await data.importMails({ notices: await database.listNoticeRecords(accountId) })
    for (let after: string | undefined; ; ) {
      const mails = await database.listMailRecords(accountId, after, PAGE)
      await data.importMails({ mails })
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
