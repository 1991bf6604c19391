import assert from 'node:assert/strict'
import type { Mail } from '@stowage/protocol'
import { until } from '@stowage/testing/machine/until'
import type { TestService } from '@stowage/testing/service/service'
import { API, complete, putParts } from '@stowage/testing/service/upload'

export const MAILS = `${API}/mails`
export const BUYER = { email: 'ada@example.com', name: 'Ada', order_number: '#1001' }

type Caller = Pick<TestService, 'call'>

export async function listMails({ call }: Caller, query = ''): Promise<Mail[]> {
  const { status, body } = await call('GET', `${MAILS}${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}

/** Waits until the newest mail is like this. */
export async function mailWhen(
  service: Caller,
  description: string,
  condition: (mail: Mail) => boolean,
): Promise<Mail> {
  let found: Mail | undefined
  await until(description, async () => {
    const [mail] = await listMails(service)
    if (mail && condition(mail)) found = mail
    return found !== undefined
  })
  assert.ok(found)
  return found
}

/** Waits until the newest mail has this state. */
export function mailThatIs(service: Caller, state: Mail['state']): Promise<Mail> {
  return mailWhen(service, `the newest mail is ${state}`, (mail) => mail.state === state)
}

/** Replaces the content of a file. Returns when it has a new version. */
export async function replaceFile(
  { baseUrl, call }: Pick<TestService, 'baseUrl' | 'call'>,
  id: string,
  text: string,
): Promise<void> {
  const bytes = Buffer.from(text)
  const session = await call('POST', `${API}/assets/${id}/signed`, { size: bytes.length })
  const parts = await putParts(session.body, bytes)
  const { status } = await complete(baseUrl, session.body, parts)
  assert.equal(status, 200)
}
