import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { OPERATOR_TOKEN } from './start-test-gateway.ts'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
// Offline it would keep asking its maker, and as root it has no sandbox.
const OPTIONS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-sync']

export function launchBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(`No browser at ${CHROMIUM}: apt-get install chromium, or set CHROMIUM`)
  return chromium.launch({ executablePath: CHROMIUM, args: [...OPTIONS, '--disable-component-update'] })
}

export type Desk = { page: Page; context: BrowserContext /** What the page itself complained of. */; complaints: string[] }

/** A browser's window in which somebody has signed in by the form. */
export async function openDesk(browser: Browser, url: string, options: BrowserContextOptions & { token?: string } = {}): Promise<Desk> {
  const { token = OPERATOR_TOKEN, ...rest } = options
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 900 }, ...rest })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  await page.goto('/console')
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/console/events')
  return { page, context, complaints }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds serious or worse on the page, by all of its rules or by some: the rule and where. */
export async function findBarriers(page: Page, rules?: string[]): Promise<string[]> {
  await page.evaluate(axe)
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(rules ? { runOnly: rules } : {})})`)) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[]
  }
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
}
