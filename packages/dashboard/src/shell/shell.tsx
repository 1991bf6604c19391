import { Anchor, AppShell, Burger, Group, NavLink } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconApi, IconChartDonut, IconFiles, IconSettings, IconTag } from '@tabler/icons-react'
import { type ReactNode, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { Mark } from '../components/logo.tsx'
import { DropZone } from '../uploads/drop-zone.tsx'
import { UploadTray } from '../uploads/upload-tray.tsx'
import { ColorSchemeSwitch } from './color-scheme-switch.tsx'
import { OfflineNote } from './offline-badge.tsx'
import { PageBoundary } from './page-error-boundary.tsx'
import { ReadOnlyNote } from './read-only-badge.tsx'
import classes from './shell.module.css'
import { useKeptFocus } from './use-kept-focus.ts'
import { useArrival } from './use-page-start.ts'

const PLACES = [
  { path: '/', label: 'Assets', Icon: IconFiles },
  { path: '/products', label: 'Products', Icon: IconTag },
  { path: '/storage', label: 'Storage', Icon: IconChartDonut },
  { path: '/settings', label: 'Settings', Icon: IconSettings },
]

/** What stays while people move between pages. */
export function Shell({ children }: { children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure()
  const [location] = useLocation()
  const main = useRef<HTMLElement>(null)
  useArrival(main, location)
  useKeptFocus(main)
  const isHere = (path: string) =>
    path === '/' ? location === '/' || location.startsWith('/assets/') : location.startsWith(path)
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? 'Close the menu' : 'Open the menu'}
            />
            <Anchor component={Link} href="/" className={classes.home} aria-label="Stowage: home">
              <Mark />
              Stowage
            </Anchor>
          </Group>
          <Group gap="sm" wrap="nowrap">
            <OfflineNote />
            <ReadOnlyNote />
            <ColorSchemeSwitch />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        {PLACES.map(({ path, label, Icon }) => (
          <NavLink
            key={path}
            component={Link}
            href={path}
            className={classes.link}
            label={label}
            leftSection={<Icon size={18} aria-hidden />}
            active={isHere(path)}
            aria-current={isHere(path) ? 'page' : undefined}
            onClick={close}
          />
        ))}
        {/* A page of the service itself, not of this app. */}
        <NavLink
          href="/docs"
          className={classes.link}
          label="API reference"
          leftSection={<IconApi size={18} aria-hidden />}
          mt="auto"
        />
      </AppShell.Navbar>
      <AppShell.Main ref={main} tabIndex={-1} className={classes.main}>
        <div className={classes.page}>
          {/* Nothing that people did on one page goes with them to the next. */}
          <PageBoundary key={location}>{children}</PageBoundary>
        </div>
        <UploadTray />
      </AppShell.Main>
      <DropZone />
    </AppShell>
  )
}
