import assert from 'node:assert/strict'
import type { Asset, ListedUpload, Product, ProductGroup, Tag } from '@stowage/protocol'
import type { TestAccount } from '@stowage/testing/service/accounts'
import { API } from '@stowage/testing/service/upload'
import { type Command, queryOf } from './commands.ts'
import type { Observation } from './observation.ts'

type ListCommand = Extract<
  Command,
  { kind: 'list' | 'tags' | 'products' | 'groups' | 'uploads' | 'account' }
>

/** Makes the calls that read data of the whole account. */
export async function performList(
  call: TestAccount['call'],
  command: ListCommand,
): Promise<Observation> {
  const { status, body } = await call('GET', `${API}${pathOf(command)}`)
  if (status !== 200) return { status, code: body.code }
  switch (command.kind) {
    case 'list':
      assert.equal(body.meta.total, body.data.length)
      return { status, listed: body.data.map(({ id }: Asset) => id) }
    case 'tags':
      assert.equal(body.meta.total, body.data.length)
      return { status, tags: body.data.map(({ name, assets }: Tag) => [name, assets]) }
    case 'products':
      assert.equal(body.meta.total, body.data.length)
      return { status, variants: body.data.map(({ variant_id }: Product) => variant_id) }
    case 'groups':
      return { status, groups: body.data.map(presentGroup) }
    case 'uploads': {
      const unfinished = body.data.map((one: ListedUpload) => ({
        id: one.is_replacement ? one.upload_id : one.id,
        bytes: one.bytes,
        received: one.received_bytes,
      }))
      return { status, unfinished }
    }
    case 'account': {
      const { stored, reserved, trash, assets, plan } = body.data
      const limits = { limit: plan.storage, maxAssets: plan.assets }
      return { status, account: { stored, reserved, trash, assets, ...limits } }
    }
  }
}

export function presentGroup(group: ProductGroup) {
  return {
    product: group.product_id,
    variants: group.variants.map(({ variant_id }) => variant_id),
    total: group.variants_total,
    count: group.assets_total ?? group.attached_total ?? null,
  }
}

function pathOf(command: ListCommand): string {
  switch (command.kind) {
    case 'list': {
      const { kind, ...filters } = command
      return `/assets?${queryOf(filters)}`
    }
    case 'tags':
      return '/tags?limit=1000'
    case 'products':
      return `/products?${queryOf({ search: command.search })}`
    case 'groups':
      return `/product-groups?${queryOf({ search: command.search })}`
    case 'uploads':
      return '/uploads?limit=1000'
    case 'account':
      return '/account'
  }
}
