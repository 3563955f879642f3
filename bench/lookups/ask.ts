import { OPERATOR_TOKEN } from '../targets/gateway.ts'

export type Credentials = Record<string, string>

export const API_CREDENTIALS: Credentials = { Authorization: `Bearer ${OPERATOR_TOKEN}` }

/** The cookie of a session of the console. */
export async function signIn(url: string): Promise<Credentials> {
  const { status, headers } = await fetch(`${url}/console/sign-in`, {
    method: 'POST',
    headers: { Origin: url },
    body: new URLSearchParams({ token: OPERATOR_TOKEN }),
    redirect: 'manual',
  })
  if (status !== 303) throw new Error(`Signing in to the console was answered ${status}`)
  return { Cookie: headers.get('set-cookie')?.split(';')[0] ?? '' }
}

/** null where the gateway failed, which it does after some seconds; any other refusal is a mistake of ours. */
export async function ask(url: string, headers: Credentials = API_CREDENTIALS): Promise<string | null> {
  const response = await fetch(url, { headers, redirect: 'manual' })
  const answer = await response.text()
  if (response.status >= 500) return null
  if (response.status >= 400 || response.headers.get('location')?.startsWith('/console/sign-in'))
    throw new Error(`GET ${url} answered ${response.status}`)
  return answer
}
