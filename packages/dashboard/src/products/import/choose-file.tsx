import { Anchor, Button, Code, List, Paper, Stack, Text, Title } from '@mantine/core'
import { IconFileSpreadsheet } from '@tabler/icons-react'
import { type DragEvent, useRef, useState } from 'react'
import classes from './import.module.css'

/** By the button, or dropped onto it: the page around it leaves alone what is claimed here. */
export function ChooseFile({ onFile }: { onFile(file: File): void }) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)

  function take(event: DragEvent): void {
    const [file] = event.dataTransfer.files
    event.preventDefault()
    setOver(false)
    if (file !== undefined) onFile(file)
  }

  return (
    <Stack gap="lg">
      <Paper
        withBorder
        className={classes.drop}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={take}
      >
        <IconFileSpreadsheet
          size={48}
          stroke={1.2}
          color="var(--mantine-color-anchor)"
          aria-hidden
        />
        <Text fw={600} size="lg">
          A CSV or JSON file of your products
        </Text>
        <Text c="dimmed" size="sm">
          You see what it would change before anything is sent.
        </Text>
        <input
          ref={input}
          type="file"
          hidden
          aria-label="File of products"
          accept=".csv,.tsv,.txt,.json,text/csv,application/json"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0]
            // The same file may be chosen again, once it was mended.
            currentTarget.value = ''
            if (file !== undefined) onFile(file)
          }}
        />
        <Button mt="xs" onClick={() => input.current?.click()}>
          Choose a file
        </Button>
      </Paper>
      <WhatItTakes />
    </Stack>
  )
}

function WhatItTakes() {
  return (
    <section aria-labelledby="takes">
      <Title order={2} size="h5" id="takes" mb="xs">
        Where to get one
      </Title>
      <List spacing="xs" size="sm" classNames={{ root: classes.ways }}>
        <List.Item>
          <b>Shopify, without any tool:</b> open{' '}
          <Code>https://YOUR-SHOP/products.json?limit=250</Code> (add <Code>&amp;page=2</Code> and
          so on for more), and save it.
        </List.Item>
        <List.Item>
          <b>Shopify with Matrixify:</b> export products with <Code>ID</Code> and{' '}
          <Code>Variant ID</Code>. Shopify’s own CSV export leaves these ids out.
        </List.Item>
        <List.Item>
          <b>Any spreadsheet:</b> columns <Code>Product ID</Code>, <Code>Variant ID</Code> and{' '}
          <Code>Title</Code>; if you like, <Code>Variant Title</Code>, <Code>SKU</Code>,{' '}
          <Code>Vendor</Code> and <Code>Tags</Code>. Saved as CSV UTF-8.
        </List.Item>
        <List.Item>
          <b>JSON</b> as{' '}
          <Anchor href="/docs#putProducts" inherit underline="always">
            PUT /products
          </Anchor>{' '}
          takes it.
        </List.Item>
      </List>
    </section>
  )
}
