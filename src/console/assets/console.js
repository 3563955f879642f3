const all = (selector, root = document) => [...root.querySelectorAll(selector)]

/** Times in the reader's zone; the title keeps UTC. */
function localizeTimes(root) {
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
  const zone = new Intl.DateTimeFormat(undefined, { timeZoneName: 'short' })
  for (const time of all('time', root)) {
    const date = new Date(time.dateTime)
    const name = zone.formatToParts(date).find(({ type }) => type === 'timeZoneName')?.value ?? ''
    time.textContent = `${format.format(date)} ${name}`
  }
}

/** On a phone a row is a block of lines, each with the name of its column. */
function labelCells() {
  for (const table of all('.rows')) {
    const names = all('thead th', table).map((cell) => cell.textContent)
    for (const row of all('tbody tr', table)) for (const [index, cell] of all('td', row).entries()) cell.dataset.label = names[index]
  }
}

function focusSearch() {
  const box = document.querySelector('[data-search]')
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.target.closest('input, textarea, select, [contenteditable]')) return
    event.preventDefault()
    box?.focus()
    box?.select()
  })
}

/** Tells of newer rows and leaves the list as it is. */
function watchNewer() {
  const bar = document.querySelector('[data-newer]')
  if (!bar) return
  bar.querySelector('a').href = location.pathname + location.search
  setInterval(async () => {
    if (document.hidden) return
    const answer = await fetch(bar.dataset.newer, { redirect: 'error' }).catch(() => undefined)
    if (!answer?.ok) return
    const { count, isMore } = await answer.json()
    if (count === 0) return
    bar.querySelector('[data-count]').textContent = isMore ? `${count}+` : `${count}`
    bar.hidden = false
  }, 5000)
}

/** Loads the page again until the part that changes says that it has come to its end. */
function keepLive() {
  const part = document.querySelector('[data-live]')
  if (!part) return
  setTimeout(async () => {
    const answer = document.hidden ? undefined : await fetch(location.href, { redirect: 'error' }).catch(() => undefined)
    if (answer?.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
      const next = page.getElementById(part.id)
      if (next) {
        const focused = document.activeElement?.getAttribute('href')
        localizeTimes(next)
        part.replaceWith(next)
        if (focused) next.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus()
      }
    }
    keepLive()
  }, Number(part.dataset.live))
}

function enableCopy() {
  for (const button of all('[data-copy]')) {
    button.hidden = navigator.clipboard === undefined
    const label = button.textContent
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent)
      button.textContent = button.dataset.copied
      setTimeout(() => (button.textContent = label), 1500)
    })
  }
}

function enableTree() {
  const [tree, tools] = [document.querySelector('[data-tree]'), document.querySelector('[data-tree-tools]')]
  if (!tree || !tools) return
  tools.hidden = false
  const nodes = all('details', tree)
  const setOpen = (open) => {
    for (const node of nodes) node.open = open
  }
  tools.querySelector('[data-tree-open]').addEventListener('click', () => setOpen(true))
  tools.querySelector('[data-tree-close]').addEventListener('click', () => setOpen(false))
  const words = all('.key, .leaf > span:last-child', tree)
  tools.querySelector('[data-tree-find]').addEventListener('input', (event) => {
    const wanted = event.target.value.toLowerCase()
    let first
    for (const word of words) {
      const text = word.textContent
      const isHit = wanted !== '' && text.toLowerCase().includes(wanted)
      word.replaceChildren(isHit ? Object.assign(document.createElement('mark'), { textContent: text }) : text)
      if (!isHit) continue
      first ??= word
      for (let node = word.closest('details'); node; node = node.parentElement.closest('details')) node.open = true
    }
    first?.scrollIntoView({ block: 'nearest' })
  })
}

/** A time of a filter is typed in the reader's zone and sent in UTC. */
function localizeInputs() {
  for (const sent of all('[data-local-time]')) {
    const typed = Object.assign(document.createElement('input'), { type: 'datetime-local' })
    const date = new Date(sent.value)
    if (!Number.isNaN(date.getTime())) typed.value = new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
    typed.addEventListener('input', () => (sent.value = typed.value && new Date(typed.value).toISOString()))
    const label = sent.previousElementSibling
    label.textContent = label.textContent.replace(/ \(.*\)/, '')
    sent.type = 'hidden'
    sent.before(typed)
  }
}

/** A form that is sent once does its work once. */
function sendOnce() {
  const setDisabled = (disabled) => {
    for (const button of all('form[method=post] button')) button.disabled = disabled
  }
  for (const form of all('form[method=post]')) form.addEventListener('submit', () => setTimeout(() => setDisabled(true)))
  // Back in the history, the page is as it was.
  addEventListener('pageshow', () => setDisabled(false))
}

const TONES = { plain: '--accent', good: '--good', warn: '--warn', bad: '--bad' }

function drawCharts() {
  const style = getComputedStyle(document.documentElement)
  const swatch = document.body.appendChild(document.createElement('i'))
  const colorOf = (name) => {
    swatch.style.color = `var(${name})`
    return getComputedStyle(swatch).color
  }
  const [ink, line] = [colorOf('--faint'), colorOf('--line')]
  const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 }, font: `12px ${style.fontFamily}` }
  for (const place of all('[data-chart]')) {
    const { times, series } = JSON.parse(place.dataset.chart)
    const lines = series.map(({ label, tone }) => ({
      label,
      stroke: colorOf(TONES[tone]),
      width: 2,
      points: { show: series.length > 0 && times.length < 3 },
    }))
    const options = {
      width: place.clientWidth,
      height: 200,
      axes: [axis, { ...axis, size: 60 }],
      series: [{}, ...lines],
      scales: { y: { range: (_chart, _low, high) => [0, Math.max(1, (high ?? 0) * 1.1)] } },
    }
    const chart = new uPlot(options, [times, ...series.map(({ values }) => values)], place)
    new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height: 200 })).observe(place)
  }
  swatch.remove()
}

localizeTimes(document)
labelCells()
focusSearch()
watchNewer()
keepLive()
enableCopy()
enableTree()
localizeInputs()
sendOnce()
if (globalThis.uPlot) drawCharts()
