import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { UploadSession } from '@stowage/protocol'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { callJson } from '@stowage/testing/service/service'
import { API, putPart, someBytes } from '@stowage/testing/service/upload'
import type { BuiltImage } from './build-image.ts'

/** The tested image. */
export const IMAGE: BuiltImage = JSON.parse(
  readFileSync(process.env.STOWAGE_TEST_IMAGE ?? '', 'utf8'),
)

interface ContainerOptions {
  environment: Record<string, string>
  /** The folder that is mounted at /data. */
  data: string
  /** Replaces the command of the image. */
  command?: string[]
}

interface Container {
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

/** The minimum part size of S3. */
const CHUNK = 5 * 2 ** 20
/** Three parts. */
export const FILE = someBytes(12_000_000)

interface ContainedService extends Container {
  baseUrl: string
  key: string
}

/** Starts the service in a container and waits until it responds. */
export async function aServiceInContainer(
  t: TestContext,
  options: ContainerOptions,
): Promise<ContainedService> {
  const begin = performance.now()
  const container = await runContainer(t, options)
  const { STOWAGE_ADMIN_KEY: key = '', STOWAGE_BASE_URL: baseUrl = '' } = options.environment
  let isRunning = true
  void container.ended.then(() => {
    isRunning = false
  })
  await until('the service responds', async () => {
    if (!isRunning) throw new Error(`The container ended: ${container.output()}`)
    return fetch(`${baseUrl}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  })
  const ms = Math.round(performance.now() - begin)
  const status = await readFile(`/proc/${await container.pid()}/status`, 'utf8')
  const memory = Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
  t.diagnostic(`a container started: first response after ${ms} ms, ${memory} MB of memory`)
  return { ...container, baseUrl, key }
}

export function call(service: ContainedService, method: string, path: string, body?: unknown) {
  const headers = { Authorization: `Bearer ${service.key}` }
  return callJson(`${service.baseUrl}${API}${path}`, { method, body, headers })
}

export async function requestSession(service: ContainedService): Promise<UploadSession> {
  const body = { name: 'film.bin', size: FILE.length, chunk_size: CHUNK }
  const response = await call(service, 'POST', '/assets/signed', body)
  assert.equal(response.status, 201, JSON.stringify(response.body))
  assert.equal(response.body.urls.length, 3)
  return response.body
}

/** Sends these parts of the file. */
export async function send(urls: UploadSession['urls']): Promise<void> {
  for (const { url, start, end } of urls) {
    assert.notEqual(new URL(url).hostname, '0.0.0.0', 'only this machine could send parts there')
    const response = await putPart(url, FILE.subarray(start, end))
    assert.equal(response.status, 200, await response.text())
  }
}

/** Returns the received parts, and newly signed URLs for the missing ones. */
export async function resume(service: ContainedService, id: string) {
  const { status, body } = await call(service, 'GET', `/assets/${id}/upload`)
  assert.equal(status, 200, JSON.stringify(body))
  const received: number[] = body.received.map(
    ({ PartNumber }: { PartNumber: number }) => PartNumber,
  )
  return { received, urls: body.urls as UploadSession['urls'] }
}

export async function complete(service: ContainedService, session: UploadSession): Promise<void> {
  const body = { upload_id: session.upload_id }
  const response = await call(service, 'POST', `/assets/${session.id}/uploaded`, body)
  assert.equal(response.status, 200, JSON.stringify(response.body))
}

export async function downloadUrl(service: ContainedService, id: string): Promise<string> {
  const { status, headers } = await call(service, 'GET', `/assets/${id}/download`)
  assert.equal(status, 302)
  return headers.get('location') ?? ''
}

export async function expectStored(service: ContainedService, id: string): Promise<void> {
  const response = await fetch(await downloadUrl(service, id))
  assert.ok(Buffer.from(await response.arrayBuffer()).equals(FILE))
}

/** Runs the image's health check as Docker does, optionally with other settings. */
export function checkHealth(container: Container, ...settings: string[]) {
  const [kind, ...words] = IMAGE.config.Healthcheck?.Test ?? []
  assert.equal(kind, 'CMD')
  return container.exec('env', ...settings, ...words)
}

/** Checks the page of the dashboard, every file that it loads, and the API reference. */
export async function expectDashboard({ baseUrl }: ContainedService): Promise<void> {
  const page = await (await fetch(baseUrl)).text()
  const parts = [...page.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, path]) => path)
  assert.ok(parts.length >= 2, page)
  for (const path of [...parts, '/docs']) {
    assert.equal((await fetch(new URL(path ?? '', baseUrl))).status, 200, path)
  }
}
