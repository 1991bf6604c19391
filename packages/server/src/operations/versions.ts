import type { Asset, AssetVersion } from '../domain/asset.ts'
import { ServiceError } from '../domain/errors.ts'
import { getAsset } from './assets.ts'
import type { AccountContext, Settings } from './context.ts'
import { checkIntegrity, signObject, verificationDeadline } from './downloads.ts'
import { notReplaceable, versionNotFound } from './refusals.ts'

/** All versions of a file, the highest number first. At most 100 older ones are kept. */
export async function listVersions(
  context: AccountContext,
  assetId: string,
): Promise<AssetVersion[]> {
  const versions = await context.data.listVersions(assetId)
  if (versions === undefined) throw notReplaceable(await getAsset(context, assetId))
  return versions
}

/** The numbers of the versions that the next replacement removes. */
export function removedNext(
  versions: readonly AssetVersion[],
  { keepVersions }: Pick<Settings, 'keepVersions'>,
): Set<number> {
  const lastReplaced = versions.toSorted((one, other) => other.replacedIn - one.replacedIn)
  return new Set(lastReplaced.slice(keepVersions).map(({ version }) => version))
}

/**
 * Makes an older version current: its content, its name and its number. The version that was current becomes
 * an older one, so this can be undone. Repeating the call returns the same result.
 */
export async function restoreVersion(
  context: AccountContext,
  assetId: string,
  version: number,
): Promise<Asset> {
  const restored = await context.data.restoreVersion(assetId, version)
  if (restored.outcome === 'asset_not_found') throw notReplaceable(await getAsset(context, assetId))
  if (restored.outcome === 'version_not_found') throw versionNotFound()
  return restored.asset
}

/** Removes an older version and frees its bytes immediately. A job removes its object. */
export async function deleteVersion(
  context: AccountContext,
  assetId: string,
  version: number,
): Promise<void> {
  const outcome = await context.data.deleteVersion(assetId, version)
  if (outcome === 'asset_not_found') throw notReplaceable(await getAsset(context, assetId))
  if (outcome === 'version_not_found') throw versionNotFound()
  if (outcome === 'current') {
    throw new ServiceError(
      'current_version',
      'This is the current version. Restore another version first, or delete the asset.',
    )
  }
}

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

/** The asset to replace. The reservation checks again that it is a ready file. */
export async function getReplaced(context: AccountContext, assetId: string): Promise<Asset> {
  const asset = await getAsset(context, assetId)
  if (asset.kind !== 'file' || asset.status !== 'ready') throw notReplaceable(asset)
  return asset
}
