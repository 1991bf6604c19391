import { timingSafeEqual } from 'node:crypto'
import { foldAddress } from '../domain/mail.ts'
import { type AccountContext, type Context, forAccount } from './context.ts'

const CODE_BYTES = 16
const ID_BYTES = 16

/** Where a buyer ends the news of a shop: the token has the account, the address, and a code that only the service can make. */
export function unsubscribeUrl(
  { accountId, mail, secretKey }: Pick<AccountContext, 'accountId' | 'mail' | 'secretKey'>,
  recipient: string,
): string {
  const address = foldAddress(recipient)
  const code = codeOf(secretKey, accountId, address)
  const id = Buffer.from(accountId.replaceAll('-', ''), 'hex')
  const token = Buffer.concat([code, id, Buffer.from(address)]).toString('base64url')
  return `${mail.baseUrl()}/unsubscribe/${token}`
}

function codeOf(secretKey: Context['secretKey'], account: string, address: string): Uint8Array {
  return secretKey.derive(`unsubscribe ${account} ${address}`).subarray(0, CODE_BYTES)
}

/** The account and the address of the token; undefined if it is not one of this service. */
export function readUnsubscribeToken(
  { secretKey }: Pick<Context, 'secretKey'>,
  token: string,
): { accountId: string; address: string } | undefined {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length <= CODE_BYTES + ID_BYTES || secretKey.isLost) return undefined
  const hex = bytes.subarray(CODE_BYTES, CODE_BYTES + ID_BYTES).toString('hex')
  const accountId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  const address = bytes.subarray(CODE_BYTES + ID_BYTES).toString()
  const code = codeOf(secretKey, accountId, address)
  return timingSafeEqual(code, bytes.subarray(0, CODE_BYTES)) ? { accountId, address } : undefined
}

/** Idempotent. */
export async function unsubscribe(
  context: Context,
  { accountId, address }: { accountId: string; address: string },
): Promise<void> {
  await forAccount(context, accountId).data.unsubscribe(address)
}
