import { lookup, Resolver } from 'node:dns/promises'

const TIMEOUT_MS = 4_000

/** The DNS server has answered that it knows no address of this name. */
const IS_UNKNOWN = /^(ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|EBADNAME|EBADQUERY|ENOTIMP)$/

export type ResolveHost = (hostname: string) => Promise<string[]>

/**
 * Asks the DNS servers first, without the threads of the system’s resolver: while a DNS server does not respond, it
 * would block one of these few threads per name, and everything else that needs one. The system’s resolver is only
 * used for names that DNS does not know, such as those in /etc/hosts.
 */
export function openResolver(): ResolveHost {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 })
  return async (hostname) => {
    const answers = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ])
    const addresses = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value : [],
    )
    if (addresses.length > 0) return addresses
    for (const answer of answers) {
      if (answer.status === 'rejected' && !IS_UNKNOWN.test(answer.reason.code)) throw answer.reason
    }
    return (await lookup(hostname, { all: true })).map(({ address }) => address)
  }
}
