import { ActionIcon, Code, Group, Paper, Text, Title, Tooltip } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { IconCopy } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Moment } from '../format/moment.tsx'
import { countText } from '../format/size-text.ts'
import { KIND_WORDS, kindOf } from './asset-kind.ts'
import classes from './asset-page.module.css'
import { copyText } from './copy-text.ts'

export function AssetFacts({ asset }: { asset: Asset }) {
  const facts: [string, ReactNode][] = [
    ['Kind', asset.is_link ? 'Link' : `${KIND_WORDS[kindOf(asset)]} (${asset.mime})`],
    ['Size', `${asset.size} (${countText(asset.bytes, 'byte')})`],
    ['Added', <Moment key="added" at={asset.created_at} />],
    ['Status', asset.status === 'ready' ? 'Ready' : 'Uploading'],
    ['Id', <Id key="id" id={asset.id} />],
  ]
  return (
    <Paper component="section" withBorder p="md" aria-labelledby="facts">
      <Title order={2} size="h5" id="facts" mb="sm">
        Facts
      </Title>
      <dl className={classes.facts}>
        {facts.map(([name, value]) => (
          <Row key={name} name={name}>
            {value}
          </Row>
        ))}
      </dl>
    </Paper>
  )
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="sm">
        {children}
      </Text>
    </>
  )
}

function Id({ id }: { id: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="center">
      <Code>{id}</Code>
      <Tooltip label="Copy the id">
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label="Copy the id"
          onClick={() => void copyText(id, 'Id')}
        >
          <IconCopy size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  )
}
