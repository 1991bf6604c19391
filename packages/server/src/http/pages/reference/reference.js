/*
 * Runs in the browser. The page works without it; it adds the color scheme chosen in the dashboard, the
 * filter, copy buttons, and opening the call that a link points to.
 */
const root = document.documentElement
try {
  const chosen = localStorage.getItem('mantine-color-scheme-value')
  if (chosen === 'light' || chosen === 'dark') root.dataset.colors = chosen
} catch {
  // Without storage, the page uses the system’s color scheme.
}

document.addEventListener('DOMContentLoaded', () => {
  const menu = document.getElementById('menu')
  const isNarrow = matchMedia('(max-width: 56rem)')
  const fitMenu = () => {
    menu.open = !isNarrow.matches
  }
  fitMenu()
  isNarrow.addEventListener('change', fitMenu)
  menu.addEventListener('click', ({ target }) => {
    if (isNarrow.matches && target.closest('a')) menu.open = false
  })

  const openTarget = () => {
    const target = document.getElementById(location.hash.slice(1))
    if (!target?.matches('details.operation')) return
    target.hidden = false
    target.open = true
    target.scrollIntoView()
  }
  openTarget()
  addEventListener('hashchange', openTarget)
  // Clicking the same link again does not change the hash.
  document.addEventListener('click', ({ target }) => {
    if (target.closest(`a[href="${CSS.escape(location.hash)}"]`)) openTarget()
  })

  addFilter()
  if (navigator.clipboard) addCopying()
})

function addFilter() {
  const input = document.getElementById('filter')
  const found = document.getElementById('found')
  const operations = [...document.querySelectorAll('details.operation')]
  const texts = new Map(operations.map((it) => [it, it.textContent.toLowerCase()]))
  input.closest('p').hidden = false
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    let count = 0
    for (const it of operations) {
      const matches = words.every((word) => texts.get(it).includes(word))
      if (matches) count += 1
      it.hidden = !matches
      document.querySelector(`[data-for="${it.id}"]`).hidden = !matches
    }
    for (const group of document.querySelectorAll('.group')) {
      group.hidden = !group.querySelector('details.operation:not([hidden]), li:not([hidden])')
    }
    found.textContent = words.length === 0 ? '' : `${count} of ${operations.length} calls`
  })
}

function addCopying() {
  for (const button of document.querySelectorAll('button.copy')) {
    button.hidden = false
    button.addEventListener('click', async () => {
      const done = await navigator.clipboard
        .writeText(button.previousElementSibling.textContent)
        .then(
          () => 'Copied',
          () => 'Not copied',
        )
      button.textContent = done
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 2000)
    })
  }
}
