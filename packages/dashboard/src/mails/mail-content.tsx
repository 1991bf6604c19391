import { Box, SegmentedControl, Stack, Text } from '@mantine/core'
import type { RenderedMail } from '@stowage/client'
import { type SyntheticEvent, useMemo, useState } from 'react'
import { Detail, DetailList } from '../components/sections.tsx'
import { mails as texts } from '../i18n/en/mails.ts'
import classes from './mails.module.css'

/** A mail as the buyer sees it: its header, and its parts. */
export function MailContent({ content }: { content: RenderedMail }) {
  const { from, reply_to, subject, text, html } = content
  const [format, setFormat] = useState('html')
  return (
    <Stack gap="sm">
      <DetailList>
        <Detail name={texts.from}>
          <bdi dir="auto">{from}</bdi>
        </Detail>
        {reply_to !== null && (
          <Detail name={texts.replyTo}>
            <bdi>{reply_to}</bdi>
          </Detail>
        )}
        <Detail name={texts.subject}>
          <Text component="bdi" inherit fw={600} dir="auto">
            {subject}
          </Text>
        </Detail>
      </DetailList>
      <SegmentedControl
        aria-label={texts.format}
        data={[
          { value: 'html', label: texts.asHtml },
          { value: 'text', label: texts.asText },
        ]}
        value={format}
        onChange={setFormat}
      />
      {format === 'html' ? (
        <MailFrame html={html} />
      ) : (
        <Box component="pre" className={classes.text} dir="auto">
          {text}
        </Box>
      )}
    </Stack>
  )
}

/** The frame is never lower, so that the page does not jump while it loads. */
const MIN_HEIGHT = 200

/**
 * The HTML part in a frame without scripts, forms and navigation. The policy of this page, which the frame inherits, allows
 * no styles in HTML, so they are set here instead, once the frame is loaded.
 */
function MailFrame({ html }: { html: string }) {
  const [height, setHeight] = useState(MIN_HEIGHT)
  const { markup, rules } = useMemo(() => withoutStyles(html), [html])
  const onLoad = ({ currentTarget }: SyntheticEvent<HTMLIFrameElement>) => {
    const inner = currentTarget.contentWindow as (Window & typeof globalThis) | null
    if (inner === null) return
    const { document: page } = inner
    for (const element of page.querySelectorAll<HTMLElement>('[data-style]')) {
      element.style.cssText = element.dataset.style ?? ''
    }
    const sheet = new inner.CSSStyleSheet()
    sheet.replaceSync(`${rules} .link{text-decoration:underline}`)
    page.adoptedStyleSheets = [sheet]
    const measure = () => setHeight(Math.max(MIN_HEIGHT, page.body.offsetHeight))
    new ResizeObserver(measure).observe(page.body)
    measure()
  }
  return (
    <iframe
      // Another mail is another document, so that it is measured again.
      key={markup}
      className={classes.frame}
      title={texts.frame}
      sandbox="allow-same-origin"
      srcDoc={markup}
      height={height}
      onLoad={onLoad}
    />
  )
}

/** The renderer of the service escapes quotes in texts, so these are attributes and elements. Links lead nowhere. */
function withoutStyles(html: string): { markup: string; rules: string } {
  const rules = [...html.matchAll(/<style>([^<]*)<\/style>/g)].map(([, text = '']) => text)
  const markup = html
    .replaceAll(/<style>[^<]*<\/style>/g, '')
    .replaceAll(' style="', ' data-style="')
    .replaceAll(' href="', ' data-href="')
  return { markup, rules: rules.join('\n') }
}
