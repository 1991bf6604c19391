import { Anchor, Group, NativeSelect, Stack, Table, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { BackLink } from '../components/list-position.tsx'
import { useTitle } from '../components/page.tsx'
import { LoadedSection } from '../components/sections.tsx'
import { Name } from '../components/values.tsx'
import { numberText } from '../format.ts'
import { orders as texts } from '../i18n/en/orders.ts'
import { plural } from '../i18n/texts.ts'
import { DownloadChart } from './download-chart.tsx'
import classes from './orders.module.css'
import { useDownloadTotals } from './use-orders.ts'

const PERIODS = [7, 31, 90, 366]
const MAX_FILES = 20

/** How much is downloaded, and what. */
export function DownloadsPage() {
  useTitle(texts.statistics)
  const [days, setDays] = useState(31)
  const byDay = useDownloadTotals({ days })
  const byAsset = useDownloadTotals({ days, by: 'asset' })
  return (
    <Stack gap="md">
      <BackLink list="/orders">{texts.all}</BackLink>
      <Group justify="space-between">
        <Title order={1} size="h2">
          {texts.statistics}
        </Title>
        <NativeSelect
          aria-label={texts.period}
          data={PERIODS.map((count) => ({
            value: `${count}`,
            label: plural(texts.lastDays, count),
          }))}
          value={`${days}`}
          onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}
        />
      </Group>
      <LoadedSection query={byDay} title={texts.perDay}>
        {(totals) => <DownloadChart totals={totals} />}
      </LoadedSection>
      <LoadedSection query={byAsset} title={texts.mostDownloaded}>
        {({ data }) =>
          data.length === 0 ? (
            <Text c="dimmed">{texts.noDownloads}</Text>
          ) : (
            <Table className={classes.table} fz="sm">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{texts.file}</Table.Th>
                  <Table.Th ta="end">{texts.downloads}</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.slice(0, MAX_FILES).map(({ asset_id: id, filename, downloads }) => (
                  <Table.Tr key={id}>
                    <Table.Td maw={0} w="100%">
                      {filename == null ? (
                        texts.deletedFile
                      ) : (
                        <Anchor component={Link} href={`/assets/${id}`} c="inherit" inherit>
                          <Name>{filename}</Name>
                        </Anchor>
                      )}
                    </Table.Td>
                    <Table.Td ta="end">{numberText(downloads)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )
        }
      </LoadedSection>
    </Stack>
  )
}
