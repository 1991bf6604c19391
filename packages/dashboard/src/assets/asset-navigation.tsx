import { ActionIcon, Group, Tooltip } from '@mantine/core'
import { Link } from 'wouter'
import { BackLink } from '../components/back-link.tsx'
import type { Icon } from '../icons/create-icon.tsx'
import { IconChevronLeft, IconChevronRight } from '../icons/icons.ts'
import { type Neighbor, useNeighbors } from './use-neighbors.ts'

/** Links back to the list, and to the previous and the next asset in it. */
export function AssetNavigation({ id }: { id: string }) {
  const { previous, next } = useNeighbors(id)
  return (
    <Group component="nav" aria-label="List of assets" justify="space-between" mih={36}>
      <BackLink list="/">All assets</BackLink>
      <Group gap={4}>
        <NeighborLink label="Previous asset" Icon={IconChevronLeft} neighbor={previous} />
        <NeighborLink label="Next asset" Icon={IconChevronRight} neighbor={next} />
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
