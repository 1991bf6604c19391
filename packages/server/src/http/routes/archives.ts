import { type ArchiveRequest, endpoints } from '@stowage/protocol'
import { formatSize, formatTimestamp } from '@stowage/protocol/format'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createArchiveSlots, sendArchive } from '../../archives/send-archive.ts'
import { openStorageReader } from '../../archives/storage-reader.ts'
import { invalid } from '../../domain/errors.ts'
import {
  type ArchiveSelection,
  createArchive,
  createArchiveSource,
  readArchivePath,
  signArchive,
} from '../../operations/archives.ts'
import { createGate } from '../../operations/gate.ts'
import { logRequest } from '../responses/log-request.ts'
import { type RouteGroup, route } from '../route.ts'

/** Each may take tens of megabytes of memory. */
const MAX_CREATIONS = 2

export const archiveRoutes: RouteGroup = (app, options) => {
  const { context } = options
  const gate = createGate(MAX_CREATIONS)
  const sender = {
    source: createArchiveSource(context),
    slots: createArchiveSlots(),
    openReader: () => openStorageReader(context.storage),
  }

  route(app, options, endpoints.createArchive, async ({ context, actor, body }, reply) => {
    const selection = readSelection(body)
    const request = { filename: filenameOf(body), keyId: actor?.id ?? null }
    const archive = await gate(context.accountId, () => createArchive(context, selection, request))
    const { url, expiresAt } = await signArchive(context, archive.id)
    reply.header('Cache-Control', 'no-store')
    const { id, filename, bytes, files, links, etag } = archive
    return {
      data: {
        id,
        filename,
        size: formatSize(bytes),
        bytes,
        files,
        links,
        etag,
        url: new URL(url, options.baseUrl()).href,
        expires_at: formatTimestamp(expiresAt),
      },
    }
  })

  /** The URL of an archive on storage that does not send archives itself. The signature is the permission. */
  app.route({
    method: ['GET', 'HEAD'],
    url: '/archives/:id',
    exposeHeadRoute: false,
    async handler(request: FastifyRequest, reply: FastifyReply) {
      const id = readArchivePath(context, request.url)
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) reply.raw.setHeader(name, value)
      }
      try {
        await sendArchive(sender, id, request.raw, reply.raw)
      } catch (error) {
        if (!reply.raw.headersSent) throw error
        // The client notices that the response is incomplete, and resumes it.
        request.log.error({ err: error }, 'an archive could not be sent')
        context.noticeOutage(error)
        request.raw.socket.destroy()
      }
      reply.hijack()
      // Fastify does not report the end of a hijacked response.
      logRequest(reply, 'request completed')
      return reply
    },
  })
}

function readSelection({ ids, filter }: ArchiveRequest): ArchiveSelection {
  if (ids !== undefined && filter !== undefined) {
    throw invalid({ filter: ['must be omitted if ids is given'] })
  }
  if (ids !== undefined) return { ids: ids.map((id) => id.toLowerCase()) }
  if (filter === undefined) throw invalid({ ids: ['must be given, unless filter is'] })
  const { type, attached, product_id: productId, ...texts } = filter
  return {
    filter: {
      ...texts,
      ...(type !== undefined && { kind: type }),
      ...(attached !== undefined && { attached }),
      ...(productId !== undefined && { productId }),
    },
  }
}

function filenameOf({ filename, filter }: ArchiveRequest): string {
  if (filename !== undefined) return /\.zip$/i.test(filename) ? filename : `${filename}.zip`
  const folder = filter?.path?.split('/').findLast((name) => name !== '')
  return `${folder ?? 'files'}.zip`
}
