import type { AccountContext } from '../context.ts'
import { webhookNotFound } from './webhook-not-found.ts'

/** Also removes its deliveries. */
export async function deleteWebhook(
  { data }: Pick<AccountContext, 'data'>,
  id: string,
): Promise<void> {
  if (!(await data.deleteWebhook(id))) throw webhookNotFound()
}
