import {
  Anchor,
  Button,
  Code,
  Group,
  List,
  Paper,
  Progress,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { useFocusHandover } from '../components/focus.ts'
import { BackLink } from '../components/list-position.tsx'
import { notify } from '../components/notifications.tsx'
import { Loading, useLeaveWarning, useTitle } from '../components/page.tsx'
import { ErrorAlert } from '../components/page-states.tsx'
import { Name } from '../components/values.tsx'
import { numberText } from '../format.ts'
import { products as texts } from '../i18n/en/products.ts'
import { fill, plural, rich } from '../i18n/texts.ts'
import { IconAlertTriangle, IconCircleCheck, IconFileSpreadsheet } from '../icons/icons.tsx'
import { useHasScope } from '../session/account.tsx'
import type { PickedFile } from '../uploads/picked-file.ts'
import { useUploads } from '../uploads/uploads.tsx'
import classes from './import.module.css'
import { ImportPreview, ProblemTable } from './import-preview.tsx'
import { changesOf, hasVariants, type Import, importedText, useImport } from './use-import.ts'

export function ImportPage() {
  useTitle(texts.importProducts)
  const { state, read, send, restart } = useImport()
  const canWrite = useHasScope('write')
  const isSending = state.step === 'sending' && state.failure === undefined
  useLeaveWarning(isSending)
  useDroppedFile(isSending, (file) => void read(file))
  return (
    <Stack gap="md">
      <BackLink list="/products">{texts.allProducts}</BackLink>
      <Title order={1} size="h2">
        {texts.importProducts}
      </Title>
      {'fileName' in state && <Name c="dimmed">{state.fileName}</Name>}
      {'preview' in state && <Name c="dimmed">{state.preview.fileName}</Name>}
      <StepContent key={state.step}>
        {state.step === 'choosing' && canWrite && <ChooseFile onFile={(file) => void read(file)} />}
        {state.step === 'choosing' && !canWrite && <Text>{texts.readOnly}</Text>}
        {state.step === 'reading' && <Loading />}
        {state.step === 'failed' && (
          <>
            <ErrorAlert
              title={texts.previewFailed}
              error={state.error}
              isRepeated={false}
              onRetry={state.retry}
            />
            <ChooseAnother onClick={restart} />
          </>
        )}
        {state.step === 'reviewing' && (
          <ImportPreview
            preview={state.preview}
            onSend={() => void send(state.preview)}
            onRestart={restart}
          />
        )}
        {state.step === 'sending' && (
          <Sending
            state={state}
            onRetry={() => void send(state.preview, state.done)}
            onRestart={restart}
          />
        )}
        {state.step === 'done' && <Done preview={state.preview} onRestart={restart} />}
      </StepContent>
    </Stack>
  )
}

/** While the page is open, a dropped file is imported, and not uploaded as an asset. */
function useDroppedFile(isSending: boolean, onFile: (file: File) => void): void {
  const { setTarget } = useUploads()
  const latest = useRef({ isSending, onFile })
  latest.current = { isSending, onFile }

  useEffect(() => {
    const onFiles = ([dropped, ...others]: readonly PickedFile[]) => {
      const title = texts.nothingImported
      if (latest.current.isSending) {
        notify({ isError: true, title, message: texts.importRunning })
      } else if (dropped === undefined || others.length > 0) {
        notify({ isError: true, title, message: texts.oneFile })
      } else latest.current.onFile(dropped.file)
    }
    setTarget({ text: texts.dropFile, onFiles })
    return () => setTarget(undefined)
  }, [setTarget])
}

/** Hands the focus to the page when the step ends, because its buttons disappear. */
function StepContent({ children }: { children: ReactNode }) {
  const content = useFocusHandover<HTMLDivElement>()
  return (
    <Stack ref={content} gap="md">
      {children}
    </Stack>
  )
}

type Step<Name extends Import['step']> = Extract<Import, { step: Name }>

function ChooseAnother({ onClick }: { onClick(): void }) {
  return (
    <Button variant="default" onClick={onClick} w="fit-content">
      {texts.chooseAnother}
    </Button>
  )
}

interface SendingProps {
  state: Step<'sending'>
  onRetry(): void
  onRestart(): void
}

function Sending({ state, onRetry, onRestart }: SendingProps) {
  const { done, failure, preview } = state
  const changes = changesOf(preview)
  const total = changes.length
  return (
    <Stack gap="sm" maw={640}>
      <Progress
        value={(done / total) * 100}
        size="lg"
        aria-label={texts.importedProducts}
        animated={failure === undefined}
        color={failure === undefined ? 'cyan' : 'orange'}
      />
      <Text role="status">
        {plural(hasVariants(changes) ? texts.doneVariants : texts.doneProducts, total, {
          done: numberText(done),
        })}
      </Text>
      {failure !== undefined && (
        <>
          <ErrorAlert
            title={texts.stopped}
            error={failure.problems.length > 0 ? texts.rejected : failure.error}
            isRepeated={false}
            onRetry={onRetry}
          />
          {failure.problems.length > 0 && (
            <ProblemTable problems={failure.problems} format={preview.format} />
          )}
          <ChooseAnother onClick={onRestart} />
        </>
      )}
    </Stack>
  )
}

function Done({ preview, onRestart }: { preview: Step<'done'>['preview']; onRestart(): void }) {
  const count = (outcome: string) =>
    numberText(preview.compared.filter((product) => product.outcome === outcome).length)
  const { problems, format } = preview
  const isComplete = problems.length === 0
  return (
    <Stack gap="md">
      <Stack gap="sm" align="flex-start" role="status">
        <Group gap="sm" wrap="nowrap">
          {isComplete ? (
            <IconCircleCheck size={32} color="var(--mantine-color-teal-text)" aria-hidden />
          ) : (
            <IconAlertTriangle size={32} color="var(--mantine-color-orange-text)" aria-hidden />
          )}
          <Title order={2} size="h3">
            {importedText(preview)}
          </Title>
        </Group>
        <Text>
          {fill(texts.summary, {
            added: count('new'),
            changed: count('changed'),
            unchanged: count('unchanged'),
          })}
        </Text>
      </Stack>
      <Group>
        <Button component={Link} href="/products">
          {texts.viewProducts}
        </Button>
        <Button variant="default" onClick={onRestart}>
          {texts.importAnother}
        </Button>
      </Group>
      {!isComplete && (
        <section aria-labelledby="skipped">
          <Title order={3} size="h5" id="skipped">
            {texts.notImported}
          </Title>
          <ProblemTable problems={problems} format={format} />
        </section>
      )}
    </Stack>
  )
}

function ChooseFile({ onFile }: { onFile(file: File): void }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <Stack gap="lg">
      <Paper withBorder className={classes.drop}>
        <IconFileSpreadsheet
          size={48}
          stroke={1.2}
          color="var(--mantine-color-anchor)"
          aria-hidden
        />
        <Text fw={600} size="lg">
          {texts.fileTitle}
        </Text>
        <Text c="dimmed" size="sm">
          {texts.fileHint}
        </Text>
        <input
          ref={input}
          type="file"
          hidden
          aria-label={texts.productFile}
          accept=".csv,.tsv,.txt,.json,text/csv,application/json"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0]
            // Otherwise choosing the same file again, after fixing it, would not count as a change.
            currentTarget.value = ''
            if (file !== undefined) onFile(file)
          }}
        />
        <Button mt="xs" onClick={() => input.current?.click()}>
          {texts.chooseFile}
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
        {texts.howTo}
      </Title>
      <List spacing="xs" size="sm" classNames={{ root: classes.instructions }}>
        <List.Item>
          <b>{texts.shopify}</b>{' '}
          {rich(texts.shopifySteps, {
            url: <Code>https://YOUR-SHOP/products.json?limit=250</Code>,
            page: <Code>&amp;page=2</Code>,
          })}
        </List.Item>
        <List.Item>
          <b>{texts.matrixify}</b>{' '}
          {rich(texts.matrixifySteps, {
            id: <Code>ID</Code>,
            variantId: <Code>Variant ID</Code>,
          })}
        </List.Item>
        <List.Item>
          <b>{texts.spreadsheet}</b>{' '}
          {rich(texts.spreadsheetSteps, {
            productId: <Code>Product ID</Code>,
            variantId: <Code>Variant ID</Code>,
            title: <Code>Title</Code>,
            variantTitle: <Code>Variant Title</Code>,
            sku: <Code>SKU</Code>,
            vendor: <Code>Vendor</Code>,
            tags: <Code>Tags</Code>,
          })}
        </List.Item>
        <List.Item>
          <b>{texts.json}</b>{' '}
          {rich(texts.jsonSteps, {
            call: (
              <Anchor href="/docs#putProducts" inherit underline="always">
                PUT /products
              </Anchor>
            ),
          })}
        </List.Item>
      </List>
    </section>
  )
}
