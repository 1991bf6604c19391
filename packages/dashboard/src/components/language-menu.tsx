import { ActionIcon, Menu } from '@mantine/core'
import { errorText } from '../format.ts'
import { common } from '../i18n/en/common.ts'
import { changeLanguage, LANGUAGE_NAMES, LANGUAGE_TAGS, useLanguage } from '../i18n/language.ts'
import { LANGUAGES, type Language } from '../i18n/texts.ts'
import { IconLanguage } from '../icons/icons.tsx'
import { notify } from './notifications.tsx'

/** Changes the language of the dashboard. The page stays as it is. */
export function LanguageMenu() {
  const current = useLanguage()
  const choose = (language: string) => {
    changeLanguage(language as Language).catch((error) =>
      notify({ isError: true, title: common.languageFailed, message: errorText(error) }),
    )
  }
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          // Readers who do not understand the current language look for this name, too.
          aria-label={`${common.language}: ${LANGUAGE_NAMES[current]}`}
        >
          <IconLanguage size={20} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={current} onChange={choose}>
          {LANGUAGES.map((language) => (
            <Menu.RadioItem
              closeMenuOnClick
              key={language}
              value={language}
              lang={LANGUAGE_TAGS[language]}
            >
              {LANGUAGE_NAMES[language]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  )
}
