import { OPERATOR_TOKEN } from './start-test-gateway.ts'

export type Page = { status: number; headers: Headers; html: string; location: string | null }
export type Console = {
  get(path: string, headers?: Record<string, string>): Promise<Page>
  post(path: string, form: Record<string, string>, headers?: Record<string, string>): Promise<Page>
  cookie: string
}

/** The console as a browser without scripts sees it; redirects are not followed. */
export function openConsole(url: string, cookie = ''): Console {
  const ask = async (path: string, init: RequestInit): Promise<Page> => {
    const response = await fetch(`${url}${path}`, { ...init, redirect: 'manual' })
    return { status: response.status, headers: response.headers, html: await response.text(), location: response.headers.get('location') }
  }
  return {
    cookie,
    get: (path, headers = {}) => ask(path, { headers: { ...(cookie && { Cookie: cookie }), ...headers } }),
    post: (path, form, headers = {}) =>
      ask(path, {
        method: 'POST',
        body: new URLSearchParams(form),
        headers: { ...(cookie && { Cookie: cookie }), 'Sec-Fetch-Site': 'same-origin', ...headers },
      }),
  }
}

export async function signIn(url: string, token = OPERATOR_TOKEN): Promise<Console> {
  const answer = await openConsole(url).post('/console/sign-in', { token })
  if (answer.status !== 303) throw new Error(`Signing in was answered ${answer.status}: ${answer.html}`)
  return openConsole(url, cookieOf(answer))
}

export function cookieOf({ headers }: Page): string {
  return headers.get('set-cookie')?.split(';')[0] ?? ''
}
