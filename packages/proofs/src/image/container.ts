import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import type { BuiltImage } from './build-image.ts'

/** The tested image. */
export const IMAGE: BuiltImage = JSON.parse(
  readFileSync(process.env.STOWAGE_TEST_IMAGE ?? '', 'utf8'),
)

export interface ContainerOptions {
  environment: Record<string, string>
  /** The folder that is mounted at /data. */
  data: string
  /** Replaces the command of the image. */
  command?: string[]
}

export interface Container {
  /** The ID of the container's first process on the host. */
  pid(): Promise<number>
  /** The output so far. */
  output(): string
  /** Like `docker exec`. */
  exec(...words: string[]): Promise<{ code: number; output: string }>
  kill(signal: string): Promise<void>
  /** Resolves to the exit code when the container ends. */
  ended: Promise<number | null>
}

/** A folder for /data that belongs to the same user as in the image, like a Docker volume. */
export async function aVolume(t: TestContext): Promise<string> {
  const data = join(await aFolder(t), 'data')
  const { uid, gid } = await stat(join(IMAGE.files, 'data'))
  await mkdir(data)
  await chown(data, uid, gid)
  return data
}

/**
 * Runs a container of the image: read-only except for /data, as the image's user, without capabilities. It
 * ends with the test.
 */
export async function runContainer(t: TestContext, options: ContainerOptions): Promise<Container> {
  const bundle = await aFolder(t)
  await writeFile(join(bundle, 'config.json'), JSON.stringify(await runtimeConfig(options)))
  const id = `stowage-${randomUUID()}`
  const crun = ['--cgroup-manager=disabled', `--root=${join(bundle, 'state')}`]
  const child = spawn('crun', [...crun, 'run', '--bundle', bundle, id])
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text
    })
  }
  const ended = once(child, 'close').then(([code]) => code)
  const command = (...words: string[]) =>
    new Promise<{ code: number; output: string }>((resolve) => {
      const started = execFile('crun', [...crun, ...words], (_error, stdout, stderr) =>
        resolve({ code: started.exitCode ?? -1, output: stdout + stderr }),
      )
    })
  cleanUp(t, async () => {
    if (child.exitCode === null) await command('kill', id, 'KILL')
    await ended
  })
  return {
    pid: async () => Number(JSON.parse((await command('state', id)).output).pid),
    output: () => output,
    exec: async (...words) => command('exec', '--user', await user(), id, ...words),
    async kill(signal) {
      const { code, output } = await command('kill', id, signal)
      if (code !== 0) throw new Error(output)
    },
    ended,
  }
}

/** See https://github.com/opencontainers/runtime-spec/blob/main/config.md */
async function runtimeConfig({ environment, data, command }: ContainerOptions): Promise<object> {
  const { Env, Entrypoint, Cmd, WorkingDir } = IMAGE.config
  const [uid, gid] = (await user()).split(':').map(Number)
  const names = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  return {
    ociVersion: '1.0.0',
    root: { path: IMAGE.files, readonly: true },
    process: {
      user: { uid, gid },
      cwd: WorkingDir,
      args: [...Entrypoint, ...(command ?? Cmd)],
      env: [...Env, ...names],
      capabilities: {},
      noNewPrivileges: true,
    },
    linux: { namespaces: ['pid', 'mount', 'ipc', 'uts'].map((type) => ({ type })) },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755'] },
      { destination: '/data', type: 'bind', source: data, options: ['bind', 'rw'] },
      { destination: '/etc/hosts', type: 'bind', source: '/etc/hosts', options: ['bind', 'ro'] },
    ],
  }
}

/** The numeric IDs of the image's user, from the image's /etc/passwd. */
async function user(): Promise<string> {
  const users = await readFile(join(IMAGE.files, 'etc/passwd'), 'utf8')
  const { User } = IMAGE.config
  const line = users.split('\n').find((line) => line.startsWith(`${User}:`))
  if (line === undefined) throw new Error(`the image has no user ${User}`)
  return line.split(':').slice(2, 4).join(':')
}
