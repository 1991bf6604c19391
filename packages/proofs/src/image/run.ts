import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ensureInstalled } from '@stowage/testing/machine/programs'
import { buildImage } from './build-image.ts'
import { readCompose } from './compose-file.ts'

/*
 * Builds the image from the Dockerfile and tests its containers: npm run proofs:image
 */

/** Includes Ceph: the containers run in a network from which nothing can be installed. */
const NEEDED = ['buildah', 'crun', 'ip', 'radosgw'] as const

/** The priorities of the build, which may run beside other tests, and of the tests, which wait for responses. */
const LOW_PRIORITY = 10
const NORMAL_PRIORITY = 0

/**
 * Runs a command in a separate network, in which the ports of compose.yaml are free and its host names resolve. Mounts
 * cgroups version 2 where both versions are mounted, because crun refuses to start with both.
 */
const ENTER = `
mount --bind "$1" /etc/hosts
[ -e /sys/fs/cgroup/cgroup.controllers ] || mount -t cgroup2 none /sys/fs/cgroup
ip link set lo up
shift
exec "$@"`

async function missingForContainers(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'containers need Linux'
  if (process.getuid?.() !== 0) return 'only root can build the image and run it here'
  for (const program of NEEDED) {
    const missing = await ensureInstalled(program)
    if (missing !== undefined) return missing
  }
  return promisify(execFile)('unshare', ['--mount', '--net', 'true']).then(
    () => undefined,
    (error) => `namespaces are not allowed here: ${error}`,
  )
}

async function runTests(image: string, folder: string): Promise<number> {
  const { hostNames } = readCompose()
  const hosts = join(folder, 'hosts')
  await writeFile(hosts, `127.0.0.1 localhost ${hostNames.join(' ')}\n`)
  const files = ['disk.test.ts', 'compose.test.ts'].map((name) => join(import.meta.dirname, name))
  const runner = [process.execPath, '--test', '--test-concurrency=1', '--test-timeout=120000']
  const commandLine = ['--mount', '--net', 'sh', '-ec', ENTER, 'sh', hosts, ...runner, ...files]
  const env = { ...process.env, STOWAGE_TEST_IMAGE: image }
  const [code] = await once(spawn('unshare', commandLine, { env, stdio: 'inherit' }), 'exit')
  return code ?? 1
}

async function run(): Promise<number> {
  const missing = await missingForContainers()
  if (missing !== undefined) {
    console.error(`Skipped the tests of the image: ${missing}`)
    return process.env.CI === 'true' ? 1 : 0
  }
  const folder = await mkdtemp(join(tmpdir(), 'stowage-image-'))
  try {
    setPriority(LOW_PRIORITY)
    const image = await buildImage(folder)
    try {
      setPriority(NORMAL_PRIORITY)
      return await runTests(image.path, folder)
    } finally {
      await image.remove()
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

process.exitCode = await run()
