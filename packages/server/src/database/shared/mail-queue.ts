import { type Dialect, statement } from './dialect.ts'
import { MAIL_COLUMNS, toMail } from './mail-rows.ts'
import { type Time, toDate } from './rows.ts'

const IS_WAITING = "state in ('queued', 'sending')"

/**
 * The statements of the job that sends mails. Each account has a queue of its own, and each notice has one, so the choice
 * of the next mails depends on the number of queues, but not on how many mails wait in them.
 */
export function mailQueueOf({ clock, later, earlier, isOneOf, isIdIn }: Dialect) {
  // Read once for each statement, so that an index finds what is due.
  const now = `(select ${clock})`
  const ofAccounts = `${IS_WAITING} and cause <> 'notice'`
  const ofNotices = `${IS_WAITING} and cause = 'notice'`
  /** The values of a column, of which an index has all rows: jumps from one value to the next. */
  const valuesOf = (column: string, condition: string) => `waiting (id) as (
    select (select ${column} from mails where ${condition} order by ${column} limit 1)
    union all
    select (select ${column} from mails where ${condition} and ${column} > waiting.id order by ${column} limit 1)
    from waiting where waiting.id is not null)`
  const runningOf = (account: string) =>
    `(select count(*) from mails r where r.account_id = ${account} and r.state = 'sending')`
  const isPaused =
    "cause = 'notice' and exists (select 1 from notices n where n.id = mails.notice_id and n.state = 'paused')"
  const claim = (condition: string, order = 'due_at') =>
    `update mails set state = 'sending', attempts = attempts + 1, due_at = ${later(clock, ':lease')}
     where ${isOneOf(
       'id',
       `select id from mails where ${condition} and due_at <= ${now} order by ${order}, id limit :limit`,
     )} returning ${MAIL_COLUMNS}`
  type Claim = { lease: number; limit: number }
  const toId = ({ id }: { id: string }) => id

  return {
    /** Accounts with mails that are due, apart from notices: those first that have the fewest running attempts. */
    dueAccounts: statement<{ full: readonly string[]; limit: number }>(
      `with recursive ${valuesOf('account_id', ofAccounts)}
       select id from (
         select id, ${runningOf('waiting.id')} as running from waiting
         where id is not null and not (${isIdIn('id', 'full')}) and exists (
           select 1 from mails m where m.account_id = waiting.id and ${ofAccounts} and m.due_at <= ${now})) due
       order by running, random() limit :limit`,
    ).every(toId),
    claimOfAccount: statement<Claim & { account: string }>(
      claim(`account_id = :account and ${ofAccounts}`),
    ).every(toMail),
    /** The same of notices that are not paused. Those of one account take turns. */
    dueNews: statement<{ limit: number }>(
      `with recursive ${valuesOf('notice_id', ofNotices)}
       select id from (
         select n.id, ${runningOf('n.account_id')} + row_number() over (
           partition by n.account_id order by random()) as turn
         from waiting join notices n on n.id = waiting.id
         where n.state <> 'paused' and exists (
           select 1 from mails m where m.notice_id = waiting.id and ${ofNotices} and m.due_at <= ${now})) due
       order by turn, random() limit :limit`,
    ).every(toId),
    claimOfNotice: statement<Claim & { notice: string }>(
      claim(`notice_id = :notice and ${ofNotices}`),
    ).every(toMail),
    claimOverdue: statement<Claim>(
      claim(`${IS_WAITING} and retry_until <= ${now} and not (${isPaused})`, 'retry_until'),
    ).every(toMail),
    nextMail: statement(
      `select min(due_at) as due_at, ${clock} as now from (
         select due_at from (select due_at from mails where ${IS_WAITING} and not (${isPaused})
           order by due_at limit 1) mail
         union all
         select next_at from (select next_at from notices where state = 'sending' order by next_at limit 1) notice
         union all
         select due_at from (select due_at from link_requests order by due_at limit 1) request) next`,
    ).first(({ due_at, now }: { due_at: Time | null; now: Time }) =>
      due_at === null ? undefined : toDate(due_at).getTime() - toDate(now).getTime(),
    ),
    forgetMails: statement<{ kept_for: number; limit: number }>(
      `delete from mails where ${isOneOf(
        'id',
        `select id from mails where created_at <= (select ${earlier(clock, ':kept_for')})
           and not (${IS_WAITING}) order by created_at limit :limit`,
      )} returning id`,
    ).every(() => true),

    addLinkRequest: statement<{ address: string; locale: string | null; most: number }>(
      `insert into link_requests (address, locale, created_at, due_at)
       select :address, cast(:locale as text), ${clock}, ${clock}
       where (select count(*) from link_requests) < :most on conflict do nothing`,
    ).none(),
    listLinkRequests: statement<{ limit: number }>(
      `select address, locale from link_requests where due_at <= ${now} order by due_at limit :limit`,
    ).every((row: { address: string; locale: string | null }) => row),
    removeLinkRequest: statement<{ address: string }>(
      'delete from link_requests where address = :address returning address',
    ).first(() => true),
    removeOldLinkRequest: statement<{ address: string; kept_for: number }>(
      `delete from link_requests where address = :address and created_at <= ${earlier(clock, ':kept_for')}`,
    ).none(),
    postponeLinkRequest: statement<{ address: string; pause: number }>(
      `update link_requests set due_at = ${later(clock, ':pause')} where address = :address`,
    ).none(),
  }
}

export type MailQueueStatements = ReturnType<typeof mailQueueOf>
