import { checkIntegrity, verificationDeadline } from '../assets/check-integrity.ts'
import { signObject } from '../assets/sign-object.ts'
import type { AccountContext } from '../context.ts'
import { listVersions } from './list-versions.ts'
import { versionNotFound } from './version-not-found.ts'

/** A short-lived URL of the bytes of one version. */
export async function signVersionDownload(
  context: AccountContext,
  assetId: string,
  number: number,
): Promise<{ url: string; expiresAt: Date }> {
  const deadline = verificationDeadline()
  for (;;) {
    const versions = await listVersions(context, assetId)
    const version = versions.find((one) => one.version === number)
    if (version === undefined) throw versionNotFound()
    if (await checkIntegrity(context, version.integrity, deadline)) {
      return signObject(context, version)
    }
  }
}
