import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { ROOT } from './build-image.ts'

interface ComposeService {
  environment?: Record<string, string>
  command?: string
  entrypoint?: string[]
  networks?: Record<string, { aliases?: string[] }>
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
}

/** The variables that the comment in compose.yaml asks users to set. */
const VARIABLES: Record<string, string> = {
  STOWAGE_ADMIN_KEY: 'a'.repeat(64),
  S3_SECRET: 'b'.repeat(64),
}

/** Reads compose.yaml and replaces its variables. Throws if it lacks a service or a value that the tests need. */
export function readCompose() {
  const text = readFileSync(join(ROOT, 'compose.yaml'), 'utf8')
  const { services } = parse(replaceVariables(text), { merge: true }) as {
    services: Record<string, ComposeService>
  }
  const service = (name: string): ComposeService => {
    const found = services[name]
    if (found === undefined) throw new Error(`compose.yaml has no service ${name}`)
    return found
  }
  return {
    stowage: service('stowage'),
    proxy: service('proxy'),
    database: service('postgres').environment ?? {},
    store: readStore(service('store')),
    bucket: matchIn(service('bucket'), /s3 mb s3:\/\/(\S+)/),
    hostNames: Object.entries(services).flatMap(([name, { networks }]) => [
      name,
      ...(networks?.default?.aliases ?? []),
    ]),
  }
}

function replaceVariables(text: string): string {
  return text.replace(/\$\$|\$\{(\w+):\?[^}]*\}/g, (found, name) => {
    const value = found === '$$' ? '$' : VARIABLES[name]
    if (value === undefined) throw new Error(`compose.yaml needs the variable ${name}`)
    return value
  })
}

/** The port of the storage and the key that it accepts, from its startup script. */
function readStore(store: ComposeService) {
  const script = store.entrypoint?.at(-1) ?? ''
  const printed = script.slice(0, script.indexOf('> /tmp/s3.json'))
  const env = { ...process.env, ...store.environment }
  const { identities } = JSON.parse(
    execFileSync('sh', ['-c', printed], { env, encoding: 'utf8' }),
  ) as { identities: [{ credentials: [{ accessKey: string; secretKey: string }] }] }
  const [{ accessKey, secretKey }] = identities[0].credentials
  return {
    port: Number(matchIn(store, /-s3\.port=(\d+)/)),
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
  }
}

function matchIn({ entrypoint = [] }: ComposeService, pattern: RegExp): string {
  const found = pattern.exec(entrypoint.join(' '))?.[1]
  if (found === undefined) throw new Error(`compose.yaml: no ${pattern} in ${entrypoint}`)
  return found
}
