import { ActionIcon, Group, Tooltip } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { Link } from 'wouter'
import { BackLink, readListPosition, saveListPosition } from '../components/list-position.tsx'
import { assets as texts } from '../i18n/en/assets.ts'
import { type Icon, IconChevronLeft, IconChevronRight } from '../icons/icons.tsx'
import { type AssetQuery, assetsUrl, readAssetQuery } from './asset-query.ts'
import { useAssetListPage } from './use-asset-list-page.ts'

/** Links back to the list, and to the previous and the next asset in it. */
export function AssetNavigation({ id }: { id: string }) {
  const { previous, next } = useNeighbors(id)
  return (
    <Group component="nav" aria-label={texts.list} justify="space-between" mih={36}>
      <BackLink list="/">{texts.allAssets}</BackLink>
      <Group gap={4}>
        <NeighborLink label={texts.previous} Icon={IconChevronLeft} neighbor={previous} />
        <NeighborLink label={texts.next} Icon={IconChevronRight} neighbor={next} />
      </Group>
    </Group>
  )
}

interface NeighborLinkProps {
  label: string
  Icon: Icon
  neighbor: Neighbor | undefined
}

function NeighborLink({ label, Icon, neighbor }: NeighborLinkProps) {
  if (neighbor === undefined) return null
  return (
    <Tooltip label={neighbor.asset.filename} maw={320} multiline>
      <ActionIcon
        component={Link}
        href={`/assets/${neighbor.asset.id}`}
        onClick={neighbor.onOpen}
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={label}
      >
        <Icon size={20} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}

interface Neighbor {
  asset: Asset
  /** Call it when the user opens that asset: “All assets” then leads to the page of the list that contains it. */
  onOpen(): void
}

interface Neighbors {
  previous: Neighbor | undefined
  next: Neighbor | undefined
}

/** The assets before and after this one, in the list from which the user came. */
function useNeighbors(id: string): Neighbors {
  const position = readListPosition('/')
  const query = readAssetQuery(position?.url.split('?')[1] ?? '')
  const isEnabled = position !== undefined
  const { data } = useAssetListPage(query, { isEnabled })
  const assets = data?.data ?? []
  const index = assets.findIndex((asset) => asset.id === id)
  const isFirst = index === 0 && query.page > 1
  const isLast = index === assets.length - 1 && query.page < (data?.meta.last_page ?? 1)
  const before = useAssetListPage({ ...query, page: query.page - 1 }, { isEnabled: isFirst })
  const after = useAssetListPage({ ...query, page: query.page + 1 }, { isEnabled: isLast })
  if (index < 0) return { previous: undefined, next: undefined }
  return {
    previous: isFirst
      ? onPage(before.data?.data.at(-1), { ...query, page: query.page - 1 })
      : onPage(assets[index - 1], query),
    next: isLast
      ? onPage(after.data?.data[0], { ...query, page: query.page + 1 })
      : onPage(assets[index + 1], query),
  }
}

function onPage(asset: Asset | undefined, query: AssetQuery): Neighbor | undefined {
  const url = assetsUrl(query)
  return (
    asset && {
      asset,
      onOpen() {
        const position = readListPosition('/')
        if (position?.url !== url) saveListPosition('/', { url, top: 0 })
      },
    }
  )
}
