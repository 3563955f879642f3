import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { callApi, getOrder, type Json, waitForEvent } from '../helpers/api.ts'
import { findBarriers, launchBrowser, openDesk } from '../helpers/browser.ts'
import { type RefusedOrders, refuseOrders } from '../helpers/refuse-orders.ts'
import { buildEvent, buildIntent, deliver, uniqueId } from '../helpers/signed-webhook.ts'
import { startTestGateway, type TestGateway, VIEWER_TOKEN } from '../helpers/start-test-gateway.ts'

const MARKUP = `<img src=x onerror="document.title='owned'"></script><script>document.title='owned'</script>`

let gateway: TestGateway
let browser: Browser
let refused: RefusedOrders
beforeAll(async () => {
  gateway = await startTestGateway({ env: { JOB_RETRY_LIMIT: '0' } })
  refused = await refuseOrders(gateway.context.db.pool)
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await gateway.stop()
})

async function deliverPaid(intent: Json): Promise<Json> {
  const event = buildEvent({ object: buildIntent(intent) })
  await deliver(gateway.url, event)
  return waitForEvent(gateway.url, event.id)
}

async function search(page: Page, text: string): Promise<void> {
  await page.keyboard.press('/')
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

async function giveReason(page: Page, reason: string, button: string | RegExp): Promise<void> {
  await page.getByLabel('Reason').fill(reason)
  await page.getByRole('button', { name: button }).click()
}

describe('a ticket: "I paid and my order still says unpaid"', () => {
  it('is mended from the e-mail address in the receipt, with the keyboard first', async () => {
    const [orderId, mail] = [uniqueId('ord'), `${uniqueId('anna')}@example.com`]
    await callApi(gateway.url, `/api/orders/${orderId}`, { method: 'PUT', body: '{"currency":"USD","expected_minor":2000}' })
    const paymentId = uniqueId('pi')
    await deliverPaid({ id: paymentId, receipt_email: mail })
    const { page, context, complaints } = await openDesk(browser, gateway.url)

    await search(page, orderId)
    await page.getByText('No payment counts for it.').waitFor()
    await search(page, mail.toUpperCase())
    await page.getByText('it names no order').first().waitFor()
    await page.getByRole('link', { name: 'Unmatched' }).click()
    await page.getByRole('row', { name: paymentId }).getByRole('link', { name: 'Link to order…' }).click()
    await page.getByRole('textbox', { name: 'Order number' }).fill(orderId)
    await giveReason(page, 'the receipt names it', 'Link it')

    await page.waitForURL(`**/console/orders/${orderId}`)
    await page.getByText(`${paymentId} is succeeded: 20.00 USD`).waitFor()
    await page.getByText('linked by olga: the receipt names it').waitFor()
    expect(await getOrder(gateway.url, orderId)).toMatchObject({ status: 'paid' })
    expect(complaints).toEqual([])
    await context.close()
  })
})

describe('acting', () => {
  it('replays an event, and its story names who and why', async () => {
    const { message_id } = await deliverPaid({ metadata: { order_id: uniqueId('ord') } })
    const { page, context } = await openDesk(browser, gateway.url)
    await page.goto(`/console/events/${message_id}`)

    await page.getByRole('link', { name: 'Replay…' }).click()
    await giveReason(page, 'to be sure', 'Replay it')

    await page.waitForURL(`**/console/events/${message_id}`)
    await page.getByText('Replay asked for by olga').waitFor()
    await page.getByText('Attempt 1 succeeded').nth(1).waitFor()
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByRole('row', { name: 'event.replayed to be sure' }).waitFor()
    await context.close()
  })

  it('replays what a filter matches: counts first, then shows how far it has come', async () => {
    const type = 'payment_intent.canceled'
    for (let count = 0; count < 3; count += 1) {
      const event = buildEvent({ type, object: buildIntent({ status: 'canceled', metadata: { order_id: uniqueId('ord') } }) })
      await deliver(gateway.url, event)
      await waitForEvent(gateway.url, event.id)
    }
    const { page, context } = await openDesk(browser, gateway.url)
    await page.getByLabel('Type').fill(type)
    await page.getByRole('button', { name: 'Apply' }).click()

    await page.getByRole('link', { name: 'Replay all that match…' }).click()
    await page.getByText('3 events match').waitFor()
    await page.getByLabel('At most so many a second').fill('1')
    await giveReason(page, 'a new rule', 'Replay 3 events')

    await page.getByText('Running').waitFor()
    await page.getByText('3 of 3 had their end').waitFor()
    await page.getByText('Done', { exact: true }).waitFor()
    await context.close()
  })

  it('sends a dead event back once its cause is mended', async () => {
    const orderId = uniqueId('ord')
    await refused.refuse(orderId)
    const { event_id: id } = await deliverPaid({ metadata: { order_id: orderId } })
    const { page, context } = await openDesk(browser, gateway.url)
    await page.getByRole('link', { name: 'Dead' }).click()
    await page.getByRole('link', { name: id }).click()
    await page.getByText('the order update is broken').waitFor()
    await refused.accept(orderId)

    await page.getByRole('link', { name: 'Dead' }).click()
    await page.getByRole('link', { name: 'Send all dead events back…' }).click()
    await giveReason(page, 'mended', 'Replay 1 event')

    await page.getByText('Done', { exact: true }).waitFor()
    await search(page, id)
    await page.getByText('Sent back to its queue by olga').waitFor()
    expect(await getOrder(gateway.url, orderId)).toMatchObject({ status: 'paid' })
    await context.close()
  })

  it('is not for a viewer, who finds no button and is answered 403', async () => {
    const { message_id } = await deliverPaid({})
    const { page, context } = await openDesk(browser, gateway.url, { token: VIEWER_TOKEN })
    await page.goto(`/console/events/${message_id}`)
    expect(await page.getByRole('link', { name: /Replay/ }).count()).toBe(0)

    const answer = await page.goto(`/console/events/${message_id}/replay`)

    expect(answer?.status()).toBe(403)
    await page.getByText('Viewers read only. Ask an operator.').waitFor()
    await context.close()
  })
})

describe('a page', () => {
  it('shows markup of a payload as text, folds it and finds words in it', async () => {
    const { message_id } = await deliverPaid({ description: MARKUP, shipping: { address: { city: 'Łódź' } } })
    const { page, context, complaints } = await openDesk(browser, gateway.url)
    await page.goto(`/console/events/${message_id}`)
    await page.getByRole('link', { name: 'Show the payload' }).click()
    const tree = page.locator('[data-tree]')
    await tree.getByText('<img src=x').waitFor()

    await page.getByRole('button', { name: 'Close all' }).click()
    expect(await tree.getByText('Łódź').isVisible()).toBe(false)
    await page.getByPlaceholder('Search in the payload').fill('łódź')

    await tree.locator('mark', { hasText: 'Łódź' }).waitFor()
    expect(await page.title()).not.toContain('owned')
    expect(complaints).toEqual([])
    await context.close()
  })

  it("tells times in the person's zone, and UTC on hover", async () => {
    const { message_id } = await deliverPaid({})
    const { page, context } = await openDesk(browser, gateway.url, { timezoneId: 'Asia/Tokyo' })
    await page.goto(`/console/events/${message_id}`)

    const time = page.locator('.timeline time').first()

    expect(await time.textContent()).toContain('GMT+9')
    expect(await time.getAttribute('title')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)
    await context.close()
  })

  it('takes a time of a filter in the zone of the person', async () => {
    const { page, context } = await openDesk(browser, gateway.url, { timezoneId: 'Asia/Tokyo' })

    await page.getByLabel('From').fill('2026-12-07T18:00')
    await page.getByRole('button', { name: 'Apply' }).click()

    await page.waitForURL(/received_from=2026-12-07T09%3A00%3A00\.000Z/)
    expect(await page.getByLabel('From').inputValue()).toBe('2026-12-07T18:00')
    await context.close()
  })

  it('of a list tells of newer events and stays as it is', async () => {
    const customer = uniqueId('cus')
    await deliverPaid({ customer })
    const { page, context } = await openDesk(browser, gateway.url)
    await page.goto(`/console/events?reference=${customer}`)
    const rows = page.locator('tbody tr')

    await deliverPaid({ customer })

    await page.getByText('1 new since you opened this page').waitFor()
    expect(await rows.count()).toBe(1)
    await page.getByRole('status').getByRole('link').click()
    await page.locator('tbody tr').nth(1).waitFor()
    await context.close()
  })

  it.each([
    ['light on a desktop', undefined, { colorScheme: 'light', viewport: { width: 1280, height: 900 } }],
    [
      'dark on a phone, where colours and places differ',
      ['color-contrast', 'target-size'],
      { colorScheme: 'dark', viewport: { width: 390, height: 800 } },
    ],
  ] as const)('is free of serious barriers and never wider than the window, %s', async (_what, rules, options) => {
    const orderId = uniqueId('ord')
    const { message_id } = await deliverPaid({ metadata: { order_id: orderId } })
    const { page, context } = await openDesk(browser, gateway.url, options)
    const paths = [
      'events',
      'events?status=dead',
      `events/${message_id}?payload=shown`,
      `events/${message_id}/replay`,
      'orders',
      `orders/${orderId}`,
      'payments',
      'payments/stripe/pi_1/link',
      'messages',
      'audit',
      'health',
      'replays/new',
      'dead/redrive',
      'search?q=evt_',
      'search?q=nothing-has-this',
      'nothing',
    ]
    for (const path of paths) {
      await page.goto(`/console/${path}`)
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      expect({ path, barriers: await findBarriers(page, rules && [...rules]), overflow }).toEqual({ path, barriers: [], overflow: 0 })
    }
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Token').waitFor()
    expect(await findBarriers(page)).toEqual([])
    await context.close()
  })
})
