import type { FramedRequest } from './request.ts'

const MAX_ATTEMPTS = 150

/** A smaller request that still fails, without the headers, parameters and bytes that do not matter. */
export async function minimize(
  request: FramedRequest,
  fails: (request: FramedRequest) => Promise<boolean>,
): Promise<FramedRequest> {
  let smallest = request
  let attempts = 0
  async function attempt(candidate: FramedRequest): Promise<boolean> {
    attempts += 1
    if (attempts > MAX_ATTEMPTS || !(await fails(candidate))) return false
    smallest = candidate
    return true
  }
  for (const header of request.headers) {
    if (/^(host|content-length|transfer-encoding)$/i.test(header[0])) continue
    await attempt({ ...smallest, headers: smallest.headers.filter((one) => one !== header) })
  }
  const [path = '', query = ''] = request.target.split(/\?(.*)/s)
  const pairs = query.split('&')
  for (const pair of pairs.length < 20 ? pairs : []) {
    const others = smallest.target
      .slice(path.length + 1)
      .split('&')
      .filter((one) => one !== pair)
    await attempt({ ...smallest, target: others.length > 0 ? `${path}?${others.join('&')}` : path })
  }
  for (
    let length = Math.ceil(smallest.body.length / 2);
    length >= 1;
    length = Math.floor(length / 2)
  ) {
    for (let at = 0; at < smallest.body.length && attempts < MAX_ATTEMPTS; ) {
      const { body } = smallest
      const shorter = Buffer.concat([body.subarray(0, at), body.subarray(at + length)])
      if (!(await attempt(withBody(smallest, shorter)))) at += length
    }
  }
  return smallest
}

function withBody(request: FramedRequest, body: Buffer): FramedRequest {
  const others = request.headers.filter(
    ([name]) => !/^(content-length|transfer-encoding)$/i.test(name),
  )
  return { ...request, headers: [...others, ['Content-Length', String(body.length)]], body }
}
