import { Anchor, Button, Code, List, Paper, Stack, Text, Title } from '@mantine/core'
import { type DragEvent, useRef, useState } from 'react'
import { IconFileSpreadsheet } from '../../icons/icons.ts'
import classes from './import.module.css'

/** A button and a drop target. A file that is dropped here is not uploaded as an asset. */
export function ChooseFile({ onFile }: { onFile(file: File): void }) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)

  function claim(event: DragEvent): void {
    event.preventDefault()
    setOver(true)
  }

  function onDrop(event: DragEvent): void {
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
        onDragEnter={claim}
        onDragOver={claim}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <IconFileSpreadsheet
          size={48}
          stroke={1.2}
          color="var(--mantine-color-anchor)"
          aria-hidden
        />
        <Text fw={600} size="lg">
          CSV or JSON file with your products
        </Text>
        <Text c="dimmed" size="sm">
          You can review all changes before they are imported.
        </Text>
        <input
          ref={input}
          type="file"
          hidden
          aria-label="Product file"
          accept=".csv,.tsv,.txt,.json,text/csv,application/json"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0]
            // Otherwise choosing the same file again, after fixing it, would not count as a change.
            currentTarget.value = ''
            if (file !== undefined) onFile(file)
          }}
        />
        <Button mt="xs" onClick={() => input.current?.click()}>
          Choose file
        </Button>
      </Paper>
      <Instructions />
    </Stack>
  )
}

function Instructions() {
  return (
    <section aria-labelledby="instructions">
      <Title order={2} size="h5" id="instructions" mb="xs">
        How to get a file
      </Title>
      <List spacing="xs" size="sm" classNames={{ root: classes.instructions }}>
        <List.Item>
          <b>Shopify, without an app:</b> open{' '}
          <Code>https://YOUR-SHOP/products.json?limit=250</Code> and save the page. For more
          products, add <Code>&amp;page=2</Code> and so on.
        </List.Item>
        <List.Item>
          <b>Shopify with Matrixify:</b> export products with the columns <Code>ID</Code> and{' '}
          <Code>Variant ID</Code>. Shopify’s own CSV export does not contain these IDs.
        </List.Item>
        <List.Item>
          <b>Any spreadsheet:</b> use the columns <Code>Product ID</Code>, <Code>Variant ID</Code>{' '}
          and <Code>Title</Code>, and optionally <Code>Variant Title</Code>, <Code>SKU</Code>,{' '}
          <Code>Vendor</Code> and <Code>Tags</Code>. Save it as CSV UTF-8. A missing column leaves
          the stored values unchanged; an empty cell clears the value.
        </List.Item>
        <List.Item>
          <b>JSON:</b> use the format of{' '}
          <Anchor href="/docs#putProducts" inherit underline="always">
            PUT /products
          </Anchor>
          .
        </List.Item>
      </List>
    </section>
  )
}
