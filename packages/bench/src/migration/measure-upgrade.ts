import { setTimeout as pause } from 'node:timers/promises'
import { CATALOG_SETTINGS } from '../catalog/filled.ts'
import { printedUrl, serveCommand, spawnServer, stopProcess } from '../processes/servers.ts'
import { progress } from '../progress.ts'
import type { DatabaseCopy, ReleasedDatabase } from './released-database.ts'

export interface UpgradeResult {
  engine: string
  /** From the start of the service until it is ready. */
  seconds: number
  bytesBefore: number
  bytesAfter: number
  kills: { afterSeconds: number; migrations: number; sortNames: number }[]
  /** The duration of the start after the last kill. */
  secondsAfterKills: number
}

/** When the service is killed, as fractions of the duration of an uninterrupted upgrade. */
const KILLS = [0.3, 0.4]
const TIMEOUT_MS = 3_600_000

/**
 * Upgrades a database of the last release by starting the service. Upgrades a second copy with a service
 * that is killed twice, and throws unless both copies are equal at the end.
 */
export async function measureUpgrade(released: ReleasedDatabase): Promise<UpgradeResult> {
  const { engine } = released
  const whole = await released.copy()
  const bytesBefore = await whole.bytes()
  progress(`${engine}: upgrading`)
  const seconds = await upgrade(whole)
  const killed = await released.copy()
  const kills: UpgradeResult['kills'] = []
  for (const share of KILLS) {
    progress(`${engine}: upgrading, killed after ${share} of the time`)
    const child = spawnServer(commandOf(killed))
    await pause(seconds * share * 1000)
    if (child.process.exitCode !== null) throw new Error(`the service exited: ${child.errors()}`)
    await stopProcess(child)
    kills.push({ afterSeconds: seconds * share, ...(await killed.state()) })
  }
  progress(`${engine}: upgrading again`)
  const secondsAfterKills = await upgrade(killed)
  progress(`${engine}: comparing`)
  const [expected, actual] = [await whole.digest(), await killed.digest()]
  if (expected !== actual)
    throw new Error(`${engine}: the database whose upgrade was killed has different contents`)
  const bytesAfter = await whole.bytes()
  return { engine, seconds, bytesBefore, bytesAfter, kills, secondsAfterKills }
}

async function upgrade(copy: DatabaseCopy): Promise<number> {
  const start = performance.now()
  const child = spawnServer(commandOf(copy))
  try {
    await printedUrl(child, TIMEOUT_MS)
    return (performance.now() - start) / 1000
  } finally {
    await stopProcess(child, 'SIGTERM')
  }
}

function commandOf({ settings }: DatabaseCopy) {
  return serveCommand({ ...CATALOG_SETTINGS, ...settings })
}
