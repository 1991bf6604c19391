import { isPrivateUrl } from '../../domain/webhook-url.ts'
import { invalid } from '../../errors.ts'
import type { AccountContext } from '../context.ts'

/** Refuses URLs that no request would be sent to. The IP addresses of host names are checked when a request is sent. */
export function checkTarget({ settings }: Pick<AccountContext, 'settings'>, url: string): void {
  if (settings.webhookTargets === 'any' || !isPrivateUrl(url)) return
  throw invalid({
    url: ['must not be a private, loopback or link-local address; see STOWAGE_WEBHOOK_TARGETS'],
  })
}
