import { lookup, Resolver } from 'node:dns/promises'

const TIMEOUT_MS = 4_000

/** The error codes if DNS knows no address of the name, or if the DNS server refuses or fails to resolve it. */
const IS_UNKNOWN = /^(ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|EBADNAME|EBADQUERY|ENOTIMP)$/

export type ResolveHost = (hostname: string) => Promise<string[]>

/**
 * Queries the DNS servers first, and uses the system’s resolver only for names that DNS does not know, such as those in
 * /etc/hosts. The system’s resolver runs in Node’s thread pool: while a DNS server does not respond, each name would
 * block one of the few threads, and all other work that needs a thread would wait.
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
