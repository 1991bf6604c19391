import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ensureInstalled } from './ensure-installed.ts'

const run = promisify(execFile)

/** Ignores the user's curl settings and any proxy. */
const PLAIN = ['--disable', '--noproxy', '*', '--silent', '--show-error']

export function missingForCurl(): Promise<string | undefined> {
  return ensureInstalled('curl')
}

/** PUTs a file without a Content-Type and returns the ETag without its quotes. */
export async function curlPart(url: string, file: string): Promise<string> {
  const options = ['--upload-file', file, '-H', 'Content-Type:', '--dump-header', '-']
  const { stdout } = await run('curl', [...PLAIN, ...options, '--output', '/dev/null', url])
  // For a long body, curl waits for "100 Continue", which then precedes the response.
  const response = stdout.trim().split('\r\n\r\n').at(-1) ?? ''
  const etag = /^etag: "(.+)"\r?$/im.exec(response)?.[1]
  if (!/^HTTP\/1\.1 200 /.test(response) || etag === undefined) {
    throw new Error(`The part was refused: ${stdout}`)
  }
  return etag
}

export interface CurlResponse {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  body: any
}

export async function curlJson(method: string, url: string, body: unknown): Promise<CurlResponse> {
  const options = ['-X', method, '-H', 'Content-Type: application/json', '-w', '\n%{http_code}']
  const { stdout } = await run('curl', [...PLAIN, ...options, '-d', JSON.stringify(body), url])
  const end = stdout.lastIndexOf('\n')
  return { status: Number(stdout.slice(end)), body: JSON.parse(stdout.slice(0, end)) }
}

/** Follows redirects, writes the body to the file and returns the last status. */
export async function curlDownload(
  url: string,
  file: string,
  options: string[] = [],
): Promise<number> {
  const output = ['--location', '--output', file, '-w', '%{http_code}']
  const { stdout } = await run('curl', [...PLAIN, ...output, ...options, url])
  return Number(stdout)
}
