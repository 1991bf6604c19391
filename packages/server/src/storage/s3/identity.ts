import { createHash } from 'node:crypto'
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { formatIdentity, parseIdentity, parseSecretKey } from '../shared.ts'
import type { Storage, StorageIdentity } from '../storage.ts'
import type { Send } from './s3-client.ts'
import { isConditionRefused, isMissingObject, orOutage } from './s3-errors.ts'

/** Never the key of an asset. */
const KEY = 'stowage-identity'
const SECRET_KEY = 'stowage-secret-key'

type Identity = Pick<
  Storage,
  'readIdentity' | 'createIdentity' | 'replaceIdentity' | 'readSecretKey' | 'createSecretKey'
>

/** The identity is an object next to those of the assets. */
export function identityInS3(
  send: Send,
  { bucket, prefix }: { bucket: string; prefix: string },
): Identity {
  const object = { Bucket: bucket, Key: prefix + KEY }

  const secretKey = { Bucket: bucket, Key: prefix + SECRET_KEY }

  function readText(location: typeof object): Promise<string | undefined> {
    return orOutage(async () => {
      try {
        const { Body } = await send(new GetObjectCommand(location))
        return (await Body?.transformToString()) ?? ''
      } catch (error) {
        if (isMissingObject(error)) return undefined
        throw error
      }
    })
  }

  async function readIdentity(): Promise<StorageIdentity | undefined> {
    const text = await readText(object)
    return text === undefined ? undefined : parseIdentity(text, `s3://${bucket}/${object.Key}`)
  }

  async function put(identity: StorageIdentity, condition: { IfNoneMatch?: string } = {}) {
    const content = { Body: formatIdentity(identity), ContentType: 'application/json' }
    await send(new PutObjectCommand({ ...object, ...content, ...condition }))
  }

  /**
   * Not random: instances that start at the same time must write the same identity, as some storage systems
   * accept both of two concurrent conditional writes.
   */
  function identityFor(databaseId: string): StorageIdentity {
    const text = JSON.stringify([databaseId, bucket, prefix])
    const digest = createHash('sha256').update(text).digest('hex')
    return { databaseId, storageId: digest.slice(0, 32) }
  }

  async function readSecretKey(): Promise<string | undefined> {
    const text = await readText(secretKey)
    return text === undefined ? undefined : parseSecretKey(text, `s3://${bucket}/${secretKey.Key}`)
  }

  return {
    readIdentity,
    readSecretKey,

    async createSecretKey(key) {
      const content = { ...secretKey, Body: `${key}\n`, ContentType: 'text/plain' }
      await orOutage(async () => {
        try {
          await send(new PutObjectCommand({ ...content, IfNoneMatch: '*' }))
        } catch (error) {
          if (!isConditionRefused(error)) throw error
          // It exists, or the storage does not support conditional writes and wrote nothing.
          if ((await readSecretKey()) === undefined) await send(new PutObjectCommand(content))
        }
      })
    },

    async createIdentity(databaseId) {
      const identity = identityFor(databaseId)
      await orOutage(async () => {
        try {
          await put(identity, { IfNoneMatch: '*' })
        } catch (error) {
          // It exists, or the storage does not support conditional writes and wrote nothing.
          if (!isConditionRefused(error)) throw error
        }
      })
      const written = await readIdentity()
      if (written !== undefined) return written
      await orOutage(() => put(identity))
      return identity
    },

    async replaceIdentity(databaseId) {
      const identity = identityFor(databaseId)
      await orOutage(() => put(identity))
      return identity
    },
  }
}
