import { Alert, Anchor, Badge, Button, Code, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { CopyButton } from '../components/copy.tsx'
import { FileButton } from '../components/file-button.tsx'
import { useFocusHandover } from '../components/focus.ts'
import { useTitle } from '../components/page.tsx'
import { TrashLink } from '../components/page-states.tsx'
import { isUnreachable } from '../components/reachable.ts'
import { Detail, DetailList, LoadedRecord, Section, TwoColumns } from '../components/sections.tsx'
import { useConnection } from '../components/service.ts'
import { DateTime } from '../components/values.tsx'
import { sizeText } from '../format.ts'
import { asset as texts } from '../i18n/en/asset.ts'
import { assets } from '../i18n/en/assets.ts'
import { uploads as uploadTexts } from '../i18n/en/uploads.ts'
import { fill, plural, rich } from '../i18n/texts.ts'
import { IconAlertTriangle, IconShieldCheck } from '../icons/icons.tsx'
import { NewsSection } from '../mails/on-demand.tsx'
import { AssetDownloads } from '../orders/on-demand.tsx'
import { changedBy, queryKeys } from '../query-keys.ts'
import { RequireScope, useHasChecksums, useHasTrash } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { DiscardUpload } from '../uploads/cancel-upload.tsx'
import type { ResumableUpload } from '../uploads/resumable-upload.ts'
import { statusText } from '../uploads/upload-item.ts'
import { useUploads, useUploadsState } from '../uploads/uploads.tsx'
import { AssetActions, AssetName } from './asset-heading.tsx'
import { DamagedMark } from './asset-icon.tsx'
import { kindOf, sizeOf } from './asset-kind.ts'
import { AssetNavigation } from './asset-navigation.tsx'
import classes from './asset-page.module.css'
import { AssetPreview } from './asset-preview.tsx'
import { AssetProducts } from './asset-products.tsx'
import { assetsUrl, readAssetQuery } from './asset-query.ts'
import { AssetTags } from './asset-tags.tsx'
import { AssetVersions } from './asset-versions.tsx'
import { LinkUrl } from './link-url.tsx'

export function AssetPage({ id }: { id: string }) {
  const asset = useAsset(id)
  const hasTrash = useHasTrash()
  useTitle(asset.data?.filename ?? texts.asset)
  return (
    <Stack gap="md">
      <AssetNavigation id={id} />
      <LoadedRecord
        query={asset}
        kind="asset"
        notFoundText={
          hasTrash ? rich(texts.notFoundTrash, { trash: <TrashLink /> }) : texts.notFoundDeleted
        }
      >
        {(data) => <AssetContent asset={data} />}
      </LoadedRecord>
    </Stack>
  )
}

function AssetContent({ asset }: { asset: Asset }) {
  if (asset.status === 'uploading') return <AssetUploading asset={asset} />
  return (
    <>
      <AssetName key={asset.id} asset={asset} />
      {asset.damaged && <DamagedAlert />}
      <AssetActions asset={asset} />
      <TwoColumns>
        <Stack gap="lg">
          {asset.is_link ? (
            <LinkUrl asset={asset} />
          ) : (
            <AssetPreview key={asset.version} asset={asset} />
          )}
          <AssetDownloads asset={asset} />
        </Stack>
        <Stack gap="lg">
          <AssetProducts asset={asset} />
          <AssetTags asset={asset} />
          {asset.is_file && <AssetVersions asset={asset} />}
          {asset.is_file && asset.version > 1 && <NewsSection asset={asset} />}
          <AssetDetails asset={asset} />
        </Stack>
      </TwoColumns>
    </>
  )
}

/** The interval while the asset is being uploaded, and while the service cannot be reached. */
const REFETCH_MS = 3_000
/** A digest is known within a second or two, or much later: the interval grows from the first to the longest. */
const FIRST_REFETCH_MS = 1_000
const LONGEST_REFETCH_MS = 15_000

function useAsset(id: string) {
  const client = useClient()
  const hasChecksums = useHasChecksums()
  return useQuery({
    queryKey: queryKeys.asset(id),
    queryFn: ({ signal }) => client.asset(id, { with_products: true, signal }),
    refetchInterval({ state: { data, error, dataUpdateCount } }) {
      if (data?.status === 'uploading' || isUnreachable(error)) return REFETCH_MS
      if (data === undefined || !hasChecksums || !isUnverified(data)) return false
      return Math.min(FIRST_REFETCH_MS * 1.5 ** dataUpdateCount, LONGEST_REFETCH_MS)
    },
  })
}

function isUnverified({ is_file, checksum, damaged }: Asset): boolean {
  return is_file && checksum === null && !damaged
}

/** Explains why a damaged file cannot be downloaded, and how to repair it. */
function DamagedAlert() {
  return (
    <Alert color="red" title={texts.damagedTitle} icon={<IconAlertTriangle aria-hidden />}>
      {texts.damagedHint}
    </Alert>
  )
}

function AssetDetails({ asset }: { asset: Asset }) {
  return (
    <Section title={texts.details}>
      <DetailList>
        <Detail name={texts.kind}>
          {asset.is_link
            ? assets.kinds.link
            : fill(texts.kindAndType, { kind: assets.kinds[kindOf(asset)], mime: asset.mime })}
        </Detail>
        {sizeOf(asset) && (
          <Detail name={texts.size}>
            {plural(texts.sizeAndBytes, asset.bytes, { size: sizeText(asset.bytes) })}
          </Detail>
        )}
        {asset.path !== null && (
          <Detail name={texts.folder}>
            <Anchor
              component={Link}
              href={assetsUrl({ ...readAssetQuery(''), path: asset.path })}
              inherit
            >
              <bdi dir="auto">{asset.path}</bdi>
            </Anchor>
          </Detail>
        )}
        <Detail name={texts.added}>
          <DateTime value={asset.created_at} />
        </Detail>
        <Detail name={texts.status}>
          {asset.status === 'ready' ? texts.ready : texts.uploading}
        </Detail>
        {asset.is_file && <IntegrityDetails asset={asset} />}
        <Detail name="ID">
          <Group gap={4} wrap="nowrap" align="center">
            <Code>{asset.id}</Code>
            <CopyButton text={asset.id} what="ID" />
          </Group>
        </Detail>
      </DetailList>
    </Section>
  )
}

/** Whether and when the stored bytes of a file were verified, and their digest. */
function IntegrityDetails({ asset: { checksum, damaged } }: { asset: Asset }) {
  const hasChecksums = useHasChecksums()
  if (checksum === null && !damaged && !hasChecksums) return null
  return (
    <>
      <Detail name={texts.integrity}>
        {damaged ? (
          <DamagedMark />
        ) : checksum === null ? (
          texts.unverified
        ) : (
          <Group gap="xs">
            <Badge
              color="green"
              variant="light"
              leftSection={<IconShieldCheck size={14} aria-hidden />}
            >
              {texts.verified}
            </Badge>
            <DateTime value={checksum.verified_at} />
          </Group>
        )}
      </Detail>
      {checksum !== null && (
        <Detail name={damaged ? texts.expectedSha : 'SHA-256'}>
          <Group gap={4} wrap="nowrap" align="center">
            <Code>{checksum.sha256}</Code>
            <CopyButton text={checksum.sha256} what="SHA-256" />
          </Group>
        </Detail>
      )}
      {damaged && checksum !== null && (
        <Detail name={texts.lastVerified}>
          <DateTime value={checksum.verified_at} />
        </Detail>
      )}
    </>
  )
}

/** An asset whose upload has not finished, in this tab or elsewhere. */
function AssetUploading({ asset }: { asset: Asset }) {
  const { items } = useUploadsState()
  const connection = useConnection()
  const item = items.find(({ id }) => id === asset.id)
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm">
        <Title order={1} size="h2" className={classes.name}>
          <bdi dir="auto">{asset.filename}</bdi>
        </Title>
        <Text>{fill(texts.incomplete, { size: sizeText(asset.bytes) })}</Text>
        {item !== undefined && <Text c="dimmed">{statusText(item, connection)}</Text>}
        {item === undefined && (
          <RequireScope scope="write">
            <ResumeUpload asset={asset} />
          </RequireScope>
        )}
      </Stack>
    </Paper>
  )
}

function ResumeUpload({ asset }: { asset: Asset }) {
  const uploads = useUploads()
  const queries = useQueryClient()
  const controls = useFocusHandover<HTMLDivElement>()
  const upload: ResumableUpload = {
    id: asset.id,
    name: asset.filename,
    size: asset.bytes,
    path: asset.path,
    startedAt: asset.created_at,
    problem: undefined,
  }
  return (
    <>
      <Text c="dimmed">{texts.notRunning}</Text>
      <Group ref={controls} gap="xs">
        <FileButton onChange={(file) => file && uploads.resumeWith(upload, file)}>
          {(props) => <Button {...props}>{uploadTexts.chooseFile}</Button>}
        </FileButton>
        <DiscardUpload
          variant="default"
          upload={upload}
          onDone={() => void queries.invalidateQueries(changedBy('upload.cancelled'))}
        />
      </Group>
    </>
  )
}
