import { Alert, Anchor, Group, Stack, Table, Text, Title } from '@mantine/core'
import type { Account, Asset, Usage } from '@stowage/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { AssetIcon } from '../assets/asset-icon.tsx'
import { useTitle } from '../components/page.tsx'
import { TrashLink } from '../components/page-states.tsx'
import { LoadedSection } from '../components/sections.tsx'
import { Name } from '../components/values.tsx'
import { numberText, shareText, sizeText } from '../format.ts'
import { storage } from '../i18n/en/storage.ts'
import { fill, rich } from '../i18n/texts.ts'
import {
  type Icon,
  IconAlertTriangle,
  IconFile,
  IconFileText,
  IconFileZip,
  IconLink,
  IconMovie,
  IconMusic,
  IconPhoto,
} from '../icons/icons.tsx'
import { queryKeys } from '../query-keys.ts'
import { useAccount } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import classes from './storage.module.css'

export function StoragePage() {
  useTitle(storage.title)
  const account = useAccount()
  const usage = useUsage()
  const largest = useLargestFiles()
  return (
    <Stack gap="lg">
      <Title order={1} size="h2">
        {storage.title}
      </Title>
      <LoadedSection query={account} title={storage.plan}>
        {(data) => <StorageMeter account={data} />}
      </LoadedSection>
      <div className={classes.columns}>
        <LoadedSection query={usage} title={storage.byType}>
          {({ types }) => <UsageByType types={types} />}
        </LoadedSection>
        <LoadedSection query={largest} title={storage.largest}>
          {({ data }) => <LargestFiles files={data} stored={account.data?.stored} />}
        </LoadedSection>
      </div>
    </Stack>
  )
}

const ALMOST_FULL = 0.9

/** The stored, reserved and available storage, as a bar and in numbers. The trash counts as available. */
function StorageMeter({ account }: { account: Account }) {
  const { plan, stored, reserved, trash, trash_for, available, assets } = account
  const hasTrash = trash_for !== 0 || trash > 0
  const used = stored + reserved
  // A plan may be reduced below what is stored.
  const whole = Math.max(plan.storage, used, 1)
  const parts = [
    { name: storage.stored, bytes: stored, className: classes.stored },
    { name: storage.reserved, bytes: reserved, className: classes.reserved },
    ...(hasTrash ? [{ name: storage.inTrash, bytes: trash, className: classes.trash }] : []),
    { name: storage.available, bytes: available, className: classes.available },
  ]
  return (
    <>
      <Group gap="xs" align="baseline" mb="sm">
        <Text fz={32} fw={700} lh={1.1}>
          {sizeText(used)}
        </Text>
        <Text c="dimmed" size="lg">
          {fill(storage.used, {
            size: sizeText(plan.storage),
            share: shareText(used, plan.storage),
          })}
        </Text>
      </Group>
      <div className={classes.meter} aria-hidden>
        {parts.slice(0, -1).map(({ name, bytes, className }) => (
          <div key={name} className={className} style={{ width: `${(bytes / whole) * 100}%` }} />
        ))}
      </div>
      <dl className={classes.legend}>
        {parts.map(({ name, bytes, className }) => (
          <div key={name}>
            <dt>
              <span className={`${classes.dot} ${className}`} aria-hidden />
              {name}
            </dt>
            <dd>{sizeText(bytes)}</dd>
          </div>
        ))}
      </dl>
      <Text size="sm" c="dimmed" mt="sm">
        {storage.versionsCount} {hasTrash && rich(storage.trashCounts, { trash: <TrashLink /> })}
      </Text>
      {plan.assets !== null && (
        <Text size="sm" c="dimmed" mt="xs">
          {fill(storage.assetsOf, { assets: numberText(assets), limit: numberText(plan.assets) })}
        </Text>
      )}
      {used > plan.storage && <Warning title={storage.exceeded}>{storage.exceededHint}</Warning>}
      {used <= plan.storage && used > plan.storage * ALMOST_FULL && (
        <Warning title={storage.almostFull}>{storage.almostFullHint}</Warning>
      )}
      {plan.assets !== null && assets >= plan.assets && (
        <Warning title={storage.assetsExceeded}>{storage.exceededHint}</Warning>
      )}
    </>
  )
}

function Warning({ title, children }: { title: string; children: string }) {
  return (
    <Alert color="orange" title={title} icon={<IconAlertTriangle aria-hidden />} mt="md">
      {children}
    </Alert>
  )
}

type TypeUsage = Usage['types'][number]

const TYPES: Record<TypeUsage['type'], { Icon: Icon; color: string }> = {
  video: { Icon: IconMovie, color: 'grape' },
  audio: { Icon: IconMusic, color: 'orange' },
  image: { Icon: IconPhoto, color: 'teal' },
  document: { Icon: IconFileText, color: 'blue' },
  archive: { Icon: IconFileZip, color: 'cyan' },
  other: { Icon: IconFile, color: 'gray' },
  link: { Icon: IconLink, color: 'gray' },
}

/** A table with bars, each as long as its share. Screen readers get the numbers. */
function UsageByType({ types }: { types: readonly TypeUsage[] }) {
  const stored = types.reduce((sum, { bytes }) => sum + bytes, 0)
  if (types.length === 0) {
    return <Text c="dimmed">{storage.noAssets}</Text>
  }
  return (
    <Table
      className={classes.chart}
      withRowBorders={false}
      verticalSpacing={6}
      horizontalSpacing={0}
    >
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{storage.type}</Table.Th>
          <Table.Th ta="end">{storage.assets}</Table.Th>
          <Table.Th ta="end">{storage.size}</Table.Th>
          <Table.Th ta="end">{storage.share}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {types.map(({ type, bytes, assets }) => {
          const { Icon, color } = TYPES[type]
          return (
            <Table.Tr key={type}>
              <Table.Th scope="row" className={classes.label}>
                <Icon size={18} stroke={1.5} aria-hidden />
                {storage.types[type === 'other' ? 'otherFiles' : type]}
                <Bar share={bytes / Math.max(1, stored)} color={color} />
              </Table.Th>
              <Table.Td ta="end">{numberText(assets)}</Table.Td>
              <Table.Td ta="end">{sizeText(bytes)}</Table.Td>
              <Table.Td ta="end">{shareText(bytes, stored)}</Table.Td>
            </Table.Tr>
          )
        })}
      </Table.Tbody>
    </Table>
  )
}

function Bar({ share, color }: { share: number; color: string }) {
  const background =
    color === 'gray' ? 'var(--mantine-color-gray-6)' : `var(--mantine-color-${color}-filled)`
  return (
    <span className={classes.track} aria-hidden>
      <span className={classes.bar} style={{ width: `${share * 100}%`, background }} />
    </span>
  )
}

interface LargestFilesProps {
  files: readonly Asset[]
  /** Undefined while it is loading. */
  stored: number | undefined
}

/** The bar of each file shows its share of all stored bytes. */
function LargestFiles({ files, stored = 0 }: LargestFilesProps) {
  const [largest] = files
  if (largest === undefined) return <Text c="dimmed">{storage.noFiles}</Text>
  // The file may be newer than the total.
  const whole = Math.max(1, stored, largest.bytes)
  return (
    <ol className={classes.files}>
      {files.map((file) => (
        <li key={file.id}>
          <AssetIcon asset={file} size={18} />
          <Anchor component={Link} href={`/assets/${file.id}`} c="inherit" size="sm" miw={0}>
            <Name>{file.filename}</Name>
          </Anchor>
          <span className={classes.number}>{sizeText(file.bytes)}</span>
          <span className={classes.track} aria-hidden>
            <span
              className={`${classes.bar} ${classes.stored}`}
              style={{ width: `${(file.bytes / whole) * 100}%` }}
            />
          </span>
        </li>
      ))}
    </ol>
  )
}

const MAX_LARGEST_FILES = 10

function useUsage() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.usage(),
    queryFn: ({ signal }) => client.usage({ signal }),
  })
}

function useLargestFiles() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.largestFiles(),
    queryFn: ({ signal }) =>
      client.assets({ type: 'file', sort: '-bytes', limit: MAX_LARGEST_FILES, signal }).page(1),
  })
}
